//! What each thread has for itself, in place of `tls.rs` on macOS: there a thread's own variables are allocated when the thread
//! first uses them, which a signal handler must not. The values of keys lie in the thread's own description, where those of the
//! first keys are read and written without a lock.

use core::ptr::without_provenance;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;
use statictramp::runtime::message::fatal;

/// A word of a thread's own, NULL at first.
#[derive(Clone, Copy)]
pub(crate) enum Word {
    /// The newest trampoline of GCC's code.
    Newest = 0,
    /// Where the thread is at work on its list or takes slots back; 0 while it is not.
    AtWork = 1,
}

/// The key of each word, plus one; 0 until somebody has asked for it. Relaxed: a number by itself, of which the system knows
/// the rest.
static KEYS: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

impl Word {
    #[inline(always)]
    fn key(self) -> libc::pthread_key_t {
        match KEYS[self as usize].load(Relaxed) {
            0 => self.new_key(),
            key => key as libc::pthread_key_t - 1,
        }
    }

    /// Of two who ask at once, one has to give its key back.
    #[cold]
    #[inline(never)]
    fn new_key(self) -> libc::pthread_key_t {
        let mut key = 0;
        // SAFETY: the key goes to a variable; there is nothing to do when a thread ends.
        if unsafe { libc::pthread_key_create(&raw mut key, None) } != 0 {
            fatal("the system has no keys left for words of a thread's own")
        }
        match KEYS[self as usize].compare_exchange(0, key as usize + 1, Relaxed, Relaxed) {
            Ok(_) => key,
            Err(first) => {
                // SAFETY: this call's own, which nobody has used.
                unsafe { libc::pthread_key_delete(key) };
                first as libc::pthread_key_t - 1
            }
        }
    }

    #[inline(always)]
    pub(crate) fn get(self) -> usize {
        // SAFETY: a key that is never deleted.
        unsafe { libc::pthread_getspecific(self.key()).addr() }
    }

    #[inline(always)]
    pub(crate) fn set(self, value: usize) {
        // SAFETY: as above. It fails only where there is no memory for the value, which the first keys have.
        unsafe { libc::pthread_setspecific(self.key(), without_provenance(value)) };
    }
}
