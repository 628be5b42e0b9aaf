//! Closures for the code of other compilers: the data that Fortran, OpenMP and MLIR pass to the functions which
//! [`statictramp`] makes.
//!
//! | module | |
//! |---|---|
//! | [`descriptor`] | Fortran's array descriptors, as gfortran and flang lay them out: looked at, turned into each other |
//! | [`instance`] | the variables of a host that an internal procedure has captured |
//! | [`capture`] | which dummy arguments a Fortran procedure may keep the address of |
//! | [`offload`] | the functions of OpenMP's devices, by the host's addresses |
//! | [`memref`] | MLIR's memrefs, and closures that take and return them |
//!
//! Nothing here allocates but [`offload::FunctionMap`]; the crate has no std.
//!
//! # Features
//! | feature | |
//! |---|---|
//! | `alloc` (default) | [`offload::Heap`]: the tables of a map lie on the program's heap |
#![no_std]

#[cfg(any(feature = "alloc", test))]
extern crate alloc;
#[cfg(any(loom, test))]
extern crate std;

pub mod capture;
pub mod descriptor;
mod extent;
#[cfg(target_pointer_width = "64")]
pub mod instance;
pub mod memref;
pub mod offload;
#[cfg(any(target_has_atomic = "64", loom))]
mod sync;

#[cfg(all(test, loom))]
mod models;

/// What the pages show of Rust runs as documentation tests.
#[cfg(all(doctest, memref_closures, pages))]
mod shown {
    #[doc = include_str!("../../docs/descriptors.md")]
    struct Descriptors;
    #[doc = include_str!("../../docs/mlir.md")]
    struct Mlir;
}
