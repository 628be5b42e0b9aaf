//! errno, which the plain functions set where there is a C library.

use core::ffi::c_int;
#[cfg(target_os = "linux")]
use libc::__errno_location as place;
#[cfg(target_os = "macos")]
use libc::__error as place;
#[cfg(unix)]
pub(crate) use libc::{EINVAL, ENOMEM};

/// Nobody reads these where there is none: NULL or -1 is the whole answer. On Windows the C runtime has the same
/// numbers.
#[cfg(not(unix))]
pub(crate) const EINVAL: c_int = 22;
#[cfg(not(unix))]
pub(crate) const ENOMEM: c_int = 12;

#[cfg(windows)]
unsafe extern "C" {
    /// Of the C runtime: the address of the running thread's errno.
    safe fn _errno() -> *mut c_int;
}

/// Sets errno and returns what the failing function returns.
#[cold]
#[inline(never)]
pub(crate) fn fail<T>(error: c_int, result: T) -> T {
    // SAFETY: the C library gives each thread an errno that is always there.
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
