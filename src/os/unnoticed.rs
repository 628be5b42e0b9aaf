//! System calls that the caller of this library must not notice.

use core::ffi::c_int;
use core::marker::PhantomData;

/// While it lives, the thread cannot be cancelled; when it ends, errno is what it was.
///
/// `open`, `read` and `write` are cancellation points: a thread that was cancelled before would end in the middle of
/// growing the table, or instead of the abort that a call through a freed trampoline ends in.
pub struct Unnoticed {
    errno: c_int,
    cancel_state: c_int,
    /// Both are the thread's own, so it is neither `Send` nor `Sync`.
    of_this_thread: PhantomData<*mut ()>,
}

/// glibc and musl have the same number.
const PTHREAD_CANCEL_DISABLE: c_int = 1;

unsafe extern "C" {
    /// An exchange in the thread's own control block, so a signal handler may.
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
}

impl Unnoticed {
    /// From now on. It is not `Default`: whoever writes this means its end, too.
    #[inline(never)]
    #[expect(clippy::new_without_default)]
    pub fn new() -> Self {
        let mut cancel_state = 0;
        // SAFETY: each thread has an errno, and the state goes to a variable.
        unsafe {
            let errno = *libc::__errno_location();
            pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &raw mut cancel_state);
            Unnoticed { errno, cancel_state, of_this_thread: PhantomData }
        }
    }
}

impl Drop for Unnoticed {
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: the state is the one that was there before; the pointer may be null in every C library of Linux, but
        // POSIX does not say so.
        unsafe {
            let mut last = 0;
            pthread_setcancelstate(self.cancel_state, &raw mut last);
            *libc::__errno_location() = self.errno;
        }
    }
}
