//! errno, which the plain functions set if there is a C library.

use core::ffi::c_int;
#[cfg(target_os = "linux")]
use libc::__errno_location as place;
#[cfg(target_os = "macos")]
use libc::__error as place;
#[cfg(unix)]
pub(crate) use libc::{EINVAL, ENOMEM};

/// Not used without a C library: there the result is only NULL or -1. On Windows the C runtime uses the same values.
#[cfg(not(unix))]
pub(crate) const EINVAL: c_int = 22;
#[cfg(not(unix))]
pub(crate) const ENOMEM: c_int = 12;

#[cfg(windows)]
unsafe extern "C" {
    /// The C runtime's function that returns the address of the running thread's errno.
    safe fn _errno() -> *mut c_int;
}

/// Sets errno and returns the failing function's result.
#[cold]
#[inline(never)]
pub(crate) fn fail<T>(error: c_int, result: T) -> T {
    // SAFETY: the C library gives each thread an errno that always exists.
    #[cfg(unix)]
    unsafe {
        *place() = error
    };
    #[cfg(windows)]
    // SAFETY: as above.
    unsafe {
        *_errno() = error
    };
    let _ = error;
    result
}
