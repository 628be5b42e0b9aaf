//! Thread-local words on macOS and Android, where this file replaces `tls.rs`. On macOS, a thread's first access to a
//! thread-local variable allocates memory, which must not happen in a signal handler. Android's loader rejects the
//! initial-exec model in libraries loaded after startup. The words are therefore values of pthread keys. The values are
//! in the thread's descriptor, and libc accesses the values of low-numbered keys without a lock.

use core::ptr::without_provenance;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;
use statictramp::for_capi::message::fatal;

/// A thread-local word, initially 0.
#[derive(Clone, Copy)]
pub(crate) enum Word {
    /// The newest trampoline that GCC-compiled code has made on this thread.
    Newest = 0,
    /// The stack pointer at which this thread began to change its list or reclaim slots, or 0 if it is doing neither.
    AtWork = 1,
}

/// The pthread key for each word, plus one, or 0 before the first access. Relaxed: no other data depends on the key,
/// since the system manages the keys.
static KEYS: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

impl Word {
    #[inline(always)]
    fn key(self) -> libc::pthread_key_t {
        match KEYS[self as usize].load(Relaxed) {
            0 => self.new_key(),
            key => key as libc::pthread_key_t - 1,
        }
    }

    /// Creates the key for a word. If two threads create a key for the same word concurrently, one thread deletes its
    /// key.
    #[cold]
    #[inline(never)]
    fn new_key(self) -> libc::pthread_key_t {
        let mut key = 0;
        // SAFETY: the call stores the key in a variable, and the key has no destructor that would run when a thread
        // ends.
        if unsafe { libc::pthread_key_create(&raw mut key, None) } != 0 {
            fatal("the system has no pthread keys left for thread-local words")
        }
        match KEYS[self as usize].compare_exchange(0, key as usize + 1, Relaxed, Relaxed) {
            Ok(_) => key,
            Err(first) => {
                // SAFETY: this call created the key, which has never been used.
                unsafe { libc::pthread_key_delete(key) };
                first as libc::pthread_key_t - 1
            }
        }
    }

    #[inline(always)]
    pub(crate) fn get(self) -> usize {
        // SAFETY: the key is never deleted.
        unsafe { libc::pthread_getspecific(self.key()).addr() }
    }

    #[inline(always)]
    pub(crate) fn set(self, value: usize) {
        // SAFETY: as above. The call fails only if it cannot allocate memory for the value, and the values of the first
        // keys need no allocation.
        unsafe { libc::pthread_setspecific(self.key(), without_provenance(value)) };
    }
}
