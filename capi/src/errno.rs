//! errno, which the C functions set on targets with a C library.

use core::ffi::c_int;
#[cfg(target_os = "android")]
use libc::__errno as address_of_errno;
#[cfg(target_os = "linux")]
use libc::__errno_location as address_of_errno;
#[cfg(any(target_os = "macos", target_os = "freebsd"))]
use libc::__error as address_of_errno;
#[cfg(unix)]
pub use libc::{EINVAL, ENOMEM};

/// The error numbers of the C runtime on Windows. Without a C library, they are not used, and a failing function only
/// returns NULL or -1.
#[cfg(not(unix))]
pub const EINVAL: c_int = 22;
/// Out of memory; see [`EINVAL`].
#[cfg(not(unix))]
pub const ENOMEM: c_int = 12;

#[cfg(windows)]
unsafe extern "C" {
    /// The C runtime's function that returns the address of the running thread's errno.
    safe fn _errno() -> *mut c_int;
}

/// Sets errno to `error`, and returns `result`, the value that the failed function returns.
#[cold]
#[inline(never)]
pub fn fail<T>(error: c_int, result: T) -> T {
    // SAFETY: the C library returns the address of this thread's errno, which exists for as long as the thread does.
    #[cfg(unix)]
    unsafe {
        *address_of_errno() = error
    };
    #[cfg(windows)]
    // SAFETY: as above.
    unsafe {
        *_errno() = error
    };
    let _ = error;
    result
}
