//! The C interface to `statictramp-interop`, which is part of libstatictramp: functions on OpenMP devices, Fortran's
//! captured variables and descriptors, and MLIR memrefs. Only the memref functions are tested on Windows, so only they
//! exist there. On other systems, and on 32-bit Linux, the C library does not contain this crate.
//!
//! The header in `interop/capi/include` documents the functions for users.
#![no_std]
#![cfg_attr(unstable_asm, feature(asm_experimental_arch))]

#[cfg(target_os = "linux")]
mod captures;
#[cfg(target_os = "linux")]
mod deep;
#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
mod devices;
#[cfg(target_os = "linux")]
mod image;
#[cfg(target_os = "linux")]
mod instances;
#[cfg(target_os = "linux")]
mod invalid_table;
#[cfg(target_os = "linux")]
mod made;
mod memrefs;
#[cfg(memref_closures)]
mod memrefs_called;
mod memrefs_returned;
#[cfg(target_os = "linux")]
mod offload;
#[cfg(target_os = "linux")]
mod variables;
