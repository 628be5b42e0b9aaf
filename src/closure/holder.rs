//! The holder of a bound closure: the memory that a trampoline's chain points to.

/// The type at the address that a stub passes.
///
/// Each holder type has its own adapters, so that its work around a call is compiled into them.
pub trait Holder: Sized {
    /// The closure that it holds.
    type Closure;

    /// Calls `f` with the closure's address.
    ///
    /// # Safety
    /// The holder must exist when this is called, and its closure until this returns.
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const Self::Closure) -> R) -> R;
}

/// A closure by itself, which the owner of the guard keeps alive while calls run.
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

    /// A closure on the heap that may drop its own guard while it runs: the last call to return then frees it.
    ///
    /// Running calls are counted in two counts, whose sum is their number. The first thread that calls has a count of its own,
    /// without an exchange, which would cost more than the call itself. A call may begin on one thread and end on another if
    /// threads have several stacks: then one count is below zero.
    ///
    /// Dropping a guard *outside* all calls while calls run on other threads breaks the contract of a call. If this code sees
    /// those calls, it frees nothing too early; if it sees them end too late, it frees nothing at all.
    pub(crate) struct Kept<K> {
        /// The first thread that called it; 0 before that.
        owner: AtomicUsize,
        /// Calls that began on the owner, minus those that ended there. Only the owner stores it.
        mine: AtomicUsize,
        /// The number of running calls of all other threads.
        others: AtomicUsize,
        /// 1 once the guard was dropped while calls ran.
        orphan: AtomicU32,
        closure: K,
    }

    /// Whether no two threads have the same identity simultaneously.
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

        /// Relaxed: a thread finds its own identity here only if it stored it, and then for good.
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

        /// The number of running calls, as far as this thread has seen.
        ///
        /// Relaxed: a thread has seen its own calls, and code that drops a guard knows that other threads' calls have returned.
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
        /// A call that began is counted and must end here. The holder may be freed after that.
        #[inline(always)]
        unsafe fn end(this: *const Self) {
            // SAFETY: the call is counted, so the holder is not freed yet.
            let holder = unsafe { &*this };
            // Relaxed: this call dropped the guard, or one that began before it did; otherwise see above.
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
            // SAFETY: as in `end`. After the subtraction another call may free the holder, so only the last call uses it then.
            unsafe {
                // Acquire: everything that calls did which ended on the owner comes before the end.
                let mine = (*this).mine.load(Acquire);
                // Release: who frees the closure sees what this call did to it.
                if mine.wrapping_add((*this).others.fetch_sub(1, Release)) == 1 {
                    // Acquire: and this call sees what the others did.
                    (*this).others.load(Acquire);
                    drop(Box::from_raw(this.cast_mut()));
                }
            }
        }

        /// Ends the holder after its guard was dropped and its trampoline freed.
        ///
        /// # Safety
        /// There must have been a guard, and `this` must not be used again.
        pub(crate) unsafe fn guard_dropped(this: NonNull<Self>) {
            // SAFETY: the holder exists as long as its guard or a running call does.
            unsafe {
                let holder = this.as_ref();
                if holder.running() == 0 {
                    drop(Box::from_raw(this.as_ptr()));
                } else {
                    // Relaxed: the calls that must see it end after this store, on the same thread.
                    holder.orphan.store(1, Relaxed);
                }
            }
        }

        /// Returns the closure.
        ///
        /// # Safety
        /// Same as for [`guard_dropped`](Kept::guard_dropped).
        pub(crate) unsafe fn into_inner(this: NonNull<Self>) -> K {
            // SAFETY: as above; no other code uses it if no call runs.
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
                    // SAFETY: this guard is made below, where the call begins.
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
