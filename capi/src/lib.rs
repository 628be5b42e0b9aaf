//! The functions declared in `statictramp.h`, and the functions called by code compiled by flang and GCC. `archive/`
//! builds libstatictramp from this crate and from the C interface of `statictramp-interop` (`interop/capi/`).
//!
//! The headers in `capi/include` document the functions for users.
#![no_std]
#![cfg_attr(unstable_asm, feature(asm_experimental_arch))]

#[cfg(all(feature = "scratch", not(target_os = "linux")))]
compile_error!(
    "libstatictramp's `scratch` feature is available only on Linux: on other systems, code compiled by flang \
     cannot place trampolines on its own stack"
);

statictramp::__needs_stubs!("libstatictramp");

mod arch;
mod bind;
mod bind_first;
mod bind_signature;
mod bind_types;
mod bound;
#[cfg(target_os = "linux")]
mod c_library;
#[cfg(not(target_has_atomic = "ptr"))]
mod critical_section;
mod errno;
mod function;
mod plain;
mod raw;
mod reclaim;
#[cfg(target_os = "linux")]
mod symbols;

// Functions that compiled code calls for internal procedures and nested functions, on systems with threads.
#[cfg(any(unix, windows))]
mod compiled;

/// cbindgen:ignore
#[doc(hidden)]
#[cfg(all(any(target_os = "linux", windows), target_pointer_width = "64"))]
pub mod for_interop;

#[cfg(any(target_os = "linux", target_os = "freebsd", windows))]
use compiled::tls;
