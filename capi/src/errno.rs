//! errno, which the plain functions set where there is a C library.

use core::ffi::c_int;

/// Sets errno and returns what the failing function returns.
#[cold]
#[inline(never)]
pub(crate) fn fail<T>(error: c_int, result: T) -> T {
    // SAFETY: the C library gives each thread an errno that is always there.
    unsafe { *libc::__errno_location() = error };
    result
}
