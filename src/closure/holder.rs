//! Where a closure is while a function pointer leads to it: what a trampoline's chain points to.

/// What is at the address that a stub passes.
///
/// Adapters are made for each holder, so that what one does around a call is compiled into it.
pub trait Holder: Sized {
    /// What it holds.
    type Closure;

    /// Calls `f` with the closure's address.
    ///
    /// # Safety
    /// The holder is there when this is called, and its closure until it returns.
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const Self::Closure) -> R) -> R;
}

/// A closure by itself, which somebody else keeps for as long as calls run.
#[repr(transparent)]
pub struct Bare<K>(K);

impl<K> Holder for Bare<K> {
    type Closure = K;

    #[inline(always)]
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const K) -> R) -> R {
        // SAFETY: the caller's promise.
        f(unsafe { &raw const (*holder).0 })
    }
}

#[cfg(feature = "alloc")]
pub(crate) use kept::Kept;

#[cfg(feature = "alloc")]
mod kept {
    use super::Holder;
    use crate::closure::kinds::refuse_closure;
    use crate::sync::{Acquire, AtomicU32, AtomicUsize, Relaxed, Release};
    use core::ptr::NonNull;

    extern crate alloc;
    use alloc::boxed::Box;

    /// A closure on the heap that may drop its own guard while it runs: the last call that is back frees it then.
    ///
    /// The calls that run are counted, by the first thread that calls without an exchange, which would cost more than the
    /// call itself; so in two counts, whose sum is their number. A call may begin on one thread and end on another,
    /// where threads have several stacks: then one count is less than zero.
    ///
    /// A guard that is dropped *outside* of all calls while calls run on other threads breaks the contract of a call; this
    /// frees nothing too early then where it sees those calls, and nothing at all where it sees them end too late.
    pub(crate) struct Kept<K> {
        /// The first thread that called it; 0 before that.
        owner: AtomicUsize,
        /// Calls that began on the owner, less those that ended there. Nobody else stores it.
        mine: AtomicUsize,
        /// How many calls of all other threads run.
        others: AtomicUsize,
        /// 1 once the guard was dropped while calls ran.
        orphan: AtomicU32,
        closure: K,
    }

    /// Whether threads are told from each other by something that no two have at once.
    const TOLD_APART: bool = cfg!(not(any(compact, loom, miri)));

    fn this_thread() -> usize {
        #[cfg(not(compact))]
        return crate::arch::thread();
        #[cfg(compact)]
        0
    }

    impl<K> Kept<K> {
        pub(crate) fn new(closure: K) -> NonNull<Self> {
            NonNull::from(Box::leak(Box::new(Kept {
                owner: AtomicUsize::new(0),
                mine: AtomicUsize::new(0),
                others: AtomicUsize::new(0),
                orphan: AtomicU32::new(0),
                closure,
            })))
        }

        /// Relaxed: a thread finds itself there only if it has put itself there, and then for good.
        #[inline(always)]
        fn is_owner(&self) -> bool {
            TOLD_APART && self.owner.load(Relaxed) == this_thread()
        }

        /// Whether the running thread is the owner from now on.
        ///
        /// Relaxed: the exchange decides, and orders nothing.
        #[cold]
        fn becomes_owner(&self) -> bool {
            TOLD_APART
                && self.owner.load(Relaxed) == 0
                && self.owner.compare_exchange(0, this_thread(), Relaxed, Relaxed).is_ok()
        }

        /// How many calls run, as far as this thread has seen.
        ///
        /// Relaxed: its own it has seen, and whoever ends a guard knows of other threads' calls that they are back.
        fn running(&self) -> usize {
            self.mine.load(Relaxed).wrapping_add(self.others.load(Relaxed))
        }

        /// Relaxed: a drop that must see this call comes after it in its own thread.
        #[inline(always)]
        fn begin(&self) {
            if self.is_owner() || self.becomes_owner() {
                self.mine.store(self.mine.load(Relaxed).wrapping_add(1), Relaxed);
            } else {
                self.others.fetch_add(1, Relaxed);
            }
        }

        /// # Safety
        /// A call that began is counted and ends here. The holder may be gone then.
        #[inline(always)]
        unsafe fn end(this: *const Self) {
            // SAFETY: the call is counted, so nobody has freed the holder.
            let holder = unsafe { &*this };
            // Relaxed: it is this very call that dropped the guard, or another that began before; else see above.
            if holder.orphan.load(Relaxed) != 0 {
                // SAFETY: as above.
                return unsafe { Self::end_of_orphan(this) };
            }
            // Release: who frees the closure sees what this call did to it.
            if holder.is_owner() {
                holder.mine.store(holder.mine.load(Relaxed).wrapping_sub(1), Release);
            } else {
                holder.others.fetch_sub(1, Release);
            }
        }

        /// # Safety
        /// As for `end`.
        #[cold]
        unsafe fn end_of_orphan(this: *const Self) {
            // SAFETY: as in `end`. After the subtraction another call may free the holder, so only the last goes on then.
            unsafe {
                // Acquire: what calls did that ended on the owner comes before the end.
                let mine = (*this).mine.load(Acquire);
                // Release: who frees the closure sees what this call did to it.
                if mine.wrapping_add((*this).others.fetch_sub(1, Release)) == 1 {
                    // Acquire: and this call sees what the others did.
                    (*this).others.load(Acquire);
                    drop(Box::from_raw(this.cast_mut()));
                }
            }
        }

        /// The guard is dropped, and the trampoline that led here is dead.
        ///
        /// # Safety
        /// There was a guard, and `this` is not used again.
        pub(crate) unsafe fn guard_dropped(this: NonNull<Self>) {
            // SAFETY: the holder is there for as long as its guard is, or a call that runs.
            unsafe {
                let holder = this.as_ref();
                if holder.running() == 0 {
                    drop(Box::from_raw(this.as_ptr()));
                } else {
                    // Relaxed: the calls that must see it end after this in their own thread.
                    holder.orphan.store(1, Relaxed);
                }
            }
        }

        /// The closure again.
        ///
        /// # Safety
        /// As for [`guard_dropped`](Kept::guard_dropped).
        pub(crate) unsafe fn into_inner(this: NonNull<Self>) -> K {
            // SAFETY: as above; nobody else uses it, if no call runs.
            unsafe {
                if this.as_ref().running() != 0 {
                    refuse_closure::<K>("a closure was taken out of its guard while a call of it runs", None);
                }
                Box::from_raw(this.as_ptr()).closure
            }
        }
    }

    impl<K> Holder for Kept<K> {
        type Closure = K;

        #[inline(always)]
        unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const K) -> R) -> R {
            /// A panic, too, ends the call.
            struct Running<K>(*const Kept<K>);
            impl<K> Drop for Running<K> {
                #[inline(always)]
                fn drop(&mut self) {
                    // SAFETY: made below, where the call began.
                    unsafe { Kept::end(self.0) }
                }
            }
            // SAFETY: the caller's promise.
            unsafe { (*holder).begin() };
            let running = Running(holder);
            // SAFETY: as above.
            f(unsafe { &raw const (*running.0).closure })
        }
    }
}
