//! In a program that contains compiled code, reclaims the slots of that code's abandoned frames when no slot is free.
//!
//! The functions in `statictramp.h` call `compiled/reclaim.rs` through a pointer set by compiled code. A program without
//! compiled code therefore contains neither the functions called by compiled code nor their thread-local words.

#[cfg(any(unix, windows))]
pub(crate) use pointer::enable;
#[cfg(any(unix, windows))]
pub use pointer::make_room;

/// Does nothing on boards, where compiled code makes no trampolines, so none can be abandoned.
#[cfg(not(any(unix, windows)))]
pub(crate) fn make_room() -> bool {
    false
}

#[cfg(any(unix, windows))]
mod pointer {
    use core::hint::black_box;
    use core::ptr::null_mut;
    use core::sync::atomic::AtomicPtr;
    use core::sync::atomic::Ordering::Relaxed;

    /// The function that reclaims slots, or null if compiled code has not made a trampoline. Relaxed: the function is
    /// code, and no other data depends on the pointer.
    static RECLAIM: AtomicPtr<()> = AtomicPtr::new(null_mut());

    /// Sets the function that [`make_room`] calls. The slow paths of compiled code call this before they claim a slot.
    /// (A thread's first trampoline for a callee is made on a slow path, unless the thread has freed a trampoline made by
    /// `statictramp_alloc` for the same callee.) The word is stored only once, because threads share its cache line.
    #[inline(always)]
    pub(crate) fn enable(reclaim: fn() -> bool) {
        if RECLAIM.load(Relaxed).is_null() {
            // Without `black_box`, the compiler might determine that the word contains no other function, and call this
            // function directly.
            RECLAIM.store(black_box(reclaim as *mut ()), Relaxed);
        }
    }

    /// Frees the trampolines of abandoned frames. Returns whether any trampolines were freed.
    #[cold]
    #[inline(never)]
    pub fn make_room() -> bool {
        let reclaim = RECLAIM.load(Relaxed);
        if reclaim.is_null() {
            return false;
        }
        // SAFETY: the only non-null value, stored by `enable`, is the address of a function of this type.
        let reclaim = unsafe { core::mem::transmute::<*mut (), fn() -> bool>(reclaim) };
        reclaim()
    }
}
