//! Opening and reading files are points at which a thread can be cancelled. None of them is to
//! be one inside of the library: what it had taken would be lost, and its frames cannot be
//! unwound.

use core::ffi::c_int;

unsafe extern "C" {
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
}

const DISABLE: c_int = 1; // glibc and musl

/// Runs `work`, in which this thread is not cancelled.
pub(crate) fn held<T>(work: impl FnOnce() -> T) -> T {
    let mut before = 0;
    // SAFETY: the place for the state is there. Both C libraries change a flag of the thread.
    let changed = unsafe { pthread_setcancelstate(DISABLE, &raw mut before) == 0 };
    let result = work();
    if changed {
        // SAFETY: the state that it had.
        unsafe { pthread_setcancelstate(before, &raw mut before) };
    }
    result
}
