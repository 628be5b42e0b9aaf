//! errno, which the functions of `statictramp.h` set if libc exists.

use core::ffi::c_int;
#[cfg(target_os = "linux")]
use libc::__errno_location as place;
#[cfg(target_os = "macos")]
use libc::__error as place;
#[cfg(unix)]
pub(crate) use libc::{EINVAL, ENOMEM};

/// The values on systems other than Unix. On Windows they are those of the C runtime. Without libc they are
/// not used, and a failed function only returns NULL or -1.
#[cfg(not(unix))]
pub(crate) const EINVAL: c_int = 22;
#[cfg(not(unix))]
pub(crate) const ENOMEM: c_int = 12;

#[cfg(windows)]
unsafe extern "C" {
    /// The C runtime's function that returns the address of the running thread's errno.
    safe fn _errno() -> *mut c_int;
}

/// Sets errno and returns the value that the failed function returns.
#[cold]
#[inline(never)]
pub(crate) fn fail<T>(error: c_int, result: T) -> T {
    // SAFETY: libc gives each thread an errno, which always exists.
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
