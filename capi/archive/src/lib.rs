//! libstatictramp: the functions of `statictramp.h` and `statictramp_interop.h`, and those that compiled code calls. If
//! the library is built by itself in the release profile, it requires only libc or, on a target without an operating
//! system, no other library at all.
#![no_std]

extern crate statictramp_capi as _;
#[cfg(all(any(target_os = "linux", windows), target_pointer_width = "64"))]
extern crate statictramp_interop_capi as _;

statictramp::__panic_handler!();
