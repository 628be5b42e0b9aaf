//! Closures on the heap, owned by their guards.

use super::bound::Holder;
use super::kinds::reject_closure;
use super::{BindError, BoundTrampoline};
#[cfg(not(target_has_atomic = "ptr"))]
use crate::sync::section::Exchanges as _;
use crate::sync::{Acquire, AtomicU32, AtomicUsize, Relaxed, Release};
use crate::trampoline::AllocError;
use core::mem::ManuallyDrop;
use core::ops::Deref;
use core::ptr::NonNull;

extern crate alloc;
use alloc::boxed::Box;

/// A closure on the heap that may drop its own guard while it runs. The last call to return then frees the closure.
///
/// The number of calls in progress is the sum of two counts. The first thread that calls the closure has its own count,
/// which it changes without an atomic read-modify-write: on some processors, that would cost more than the call itself.
/// If fibers move between threads, a call may begin on one thread and end on another, and one of the counts is then
/// negative.
///
/// Dropping a guard *outside* all calls while calls are in progress on other threads violates the contract for a call.
/// If the drop sees such a call, the closure is at least not freed too early. If such a call has ended but the drop
/// does not see this yet, the closure is never freed.
pub struct Kept<K> {
    /// The identity of the first thread that called the closure, or 0 before the first call or if threads have no
    /// unique identity.
    owner: AtomicUsize,
    /// The number of calls that began on the owner, minus the number of calls that ended on the owner. Only the owner
    /// changes this number.
    mine: AtomicUsize,
    /// The number of calls that began on threads other than the owner, minus the number of calls that ended on such
    /// threads.
    others: AtomicUsize,
    /// 1 if the guard was dropped while calls were in progress.
    orphan: AtomicU32,
    closure: K,
}

/// Whether threads that exist at the same time have different identities (docs/platforms.md, "Shared memory", states an
/// exception).
const HAS_UNIQUE_IDENTITY: bool = cfg!(not(any(compact, loom, miri)));

fn this_thread() -> usize {
    #[cfg(not(compact))]
    return crate::arch::thread();
    #[cfg(compact)]
    0
}

impl<K> Kept<K> {
    /// Puts a closure on the heap.
    pub fn new(closure: K) -> NonNull<Self> {
        NonNull::from(Box::leak(Box::new(Kept {
            owner: AtomicUsize::new(0),
            mine: AtomicUsize::new(0),
            others: AtomicUsize::new(0),
            orphan: AtomicU32::new(0),
            closure,
        })))
    }

    /// Returns whether the calling thread is the owner.
    ///
    /// Relaxed: a thread finds its own identity in this field only if it stored that identity itself, or if an earlier
    /// thread with the same identity stored it and has ended. The value does not change afterwards.
    #[inline(always)]
    fn is_owner(&self) -> bool {
        HAS_UNIQUE_IDENTITY && self.owner.load(Relaxed) == this_thread()
    }

    /// Makes the calling thread the owner if there is no owner yet. Returns whether it became the owner.
    ///
    /// Relaxed: the exchange alone decides which thread becomes the owner, and publishes no data.
    #[cold]
    fn becomes_owner(&self) -> bool {
        HAS_UNIQUE_IDENTITY
            && self.owner.load(Relaxed) == 0
            && self.owner.compare_exchange(0, this_thread(), Relaxed, Relaxed).is_ok()
    }

    /// Returns the number of calls in progress, as far as this thread can see.
    ///
    /// Relaxed: a thread sees its own calls, and code that drops a guard must ensure that the calls on other
    /// threads have returned.
    fn running(&self) -> usize {
        self.mine.load(Relaxed).wrapping_add(self.others.load(Relaxed))
    }

    /// Records that a call has begun.
    ///
    /// Relaxed: only a later drop on the same thread must see this call, and a thread sees its own earlier stores.
    #[inline(always)]
    fn begin(&self) {
        if self.is_owner() || self.becomes_owner() {
            self.mine.store(self.mine.load(Relaxed).wrapping_add(1), Relaxed);
        } else {
            self.others.fetch_add(1, Relaxed);
        }
    }

    /// Records that a call has ended. This may free the holder.
    ///
    /// # Safety
    /// The call must have been counted when it began, and must be ending now.
    #[inline(always)]
    unsafe fn end(this: *const Self) {
        // SAFETY: the call is counted, so the holder has not been freed yet.
        let holder = unsafe { &*this };
        // Relaxed: this call sees the store if the guard was dropped on the same thread, by this call or by one that
        // began later. The documentation of `Kept` describes all other calls.
        if holder.orphan.load(Relaxed) != 0 {
            // SAFETY: as above.
            return unsafe { Self::end_of_orphan(this) };
        }
        // Release: the code that frees the closure sees the changes that this call made to the closure.
        if holder.is_owner() {
            holder.mine.store(holder.mine.load(Relaxed).wrapping_sub(1), Release);
        } else {
            holder.others.fetch_sub(1, Release);
        }
    }

    /// Records that a call has ended, for a closure whose guard has been dropped. The last call frees the holder.
    ///
    /// # Safety
    /// Same as for `end`.
    #[cold]
    unsafe fn end_of_orphan(this: *const Self) {
        // SAFETY: as in `end`. After the subtraction, another call may free the holder, so only the last call may use
        // the holder afterwards.
        unsafe {
            // Acquire: everything done by the calls that ended on the owner happens before the free.
            let mine = (*this).mine.load(Acquire);
            // Release: the code that frees the closure sees the changes that this call made to the closure.
            if mine.wrapping_add((*this).others.fetch_sub(1, Release)) == 1 {
                // Acquire: this call sees the changes that the other calls made.
                (*this).others.load(Acquire);
                drop(Box::from_raw(this.cast_mut()));
            }
        }
    }

    /// Frees the holder, or lets the last call in progress free it. The guard has been dropped, and its trampoline has
    /// been freed.
    ///
    /// # Safety
    /// `this` must have had a guard, and must not be used again.
    pub(crate) unsafe fn guard_dropped(this: NonNull<Self>) {
        // SAFETY: the holder exists as long as its guard exists or a call is in progress.
        unsafe {
            let holder = this.as_ref();
            if holder.running() == 0 {
                drop(Box::from_raw(this.as_ptr()));
            } else {
                // Relaxed: the calls that must see this store end on the same thread, after the store.
                holder.orphan.store(1, Relaxed);
            }
        }
    }

    /// Takes the closure out of the holder and returns it.
    ///
    /// # Safety
    /// Same as for [`guard_dropped`](Kept::guard_dropped).
    pub(crate) unsafe fn into_inner(this: NonNull<Self>) -> K {
        // SAFETY: as above. If no call is in progress, no other code uses the holder.
        unsafe {
            if this.as_ref().running() != 0 {
                reject_closure::<K>("a closure was taken out of its guard during a call", None);
            }
            Box::from_raw(this.as_ptr()).closure
        }
    }
}

impl<K> Holder for Kept<K> {
    type Closure = K;

    #[inline(always)]
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const K) -> R) -> R {
        /// A guard that ends the call when dropped, even if the closure panics.
        struct Running<K>(*const Kept<K>);
        impl<K> Drop for Running<K> {
            #[inline(always)]
            fn drop(&mut self) {
                // SAFETY: the only value of this type is made below, where the call begins.
                unsafe { Kept::end(self.0) }
            }
        }
        // SAFETY: the caller upholds the safety contract.
        unsafe { (*holder).begin() };
        let running = Running(holder);
        // SAFETY: as above.
        f(unsafe { &raw const (*running.0).closure })
    }
}

/// A closure on the heap with its trampoline. Dropping an `OnHeap` frees the trampoline and then drops the closure. If
/// a call to the closure drops the `OnHeap`, the last call in progress drops the closure.
pub struct OnHeap<K> {
    trampoline: ManuallyDrop<BoundTrampoline>,
    kept: NonNull<Kept<K>>,
}

// SAFETY: the closure moves to the other thread, and the first thread may continue to call it. The closure is `Send`
// and `Sync`, so both are allowed.
unsafe impl<K: Send + Sync> Send for OnHeap<K> {}
// SAFETY: the only operations on a reference are calling the closure and reading the trampoline.
unsafe impl<K: Sync> Sync for OnHeap<K> {}

impl<K> OnHeap<K> {
    /// Combines a closure with its trampoline. If `trampoline` is an error, returns the error together with the
    /// closure.
    ///
    /// # Safety
    /// `kept` must have just been made. If `trampoline` is not an error, it must have been made for `kept`.
    pub unsafe fn new(
        kept: NonNull<Kept<K>>,
        trampoline: Result<BoundTrampoline, AllocError>,
    ) -> Result<Self, BindError<K>> {
        match trampoline {
            Ok(trampoline) => Ok(OnHeap { trampoline: ManuallyDrop::new(trampoline), kept }),
            // SAFETY: no function pointer to the closure exists.
            Err(source) => Err(BindError { closure: unsafe { Kept::into_inner(kept) }, source }),
        }
    }

    /// Returns the trampoline and the closure, which the caller must free.
    pub(super) fn into_parts(self) -> (ManuallyDrop<BoundTrampoline>, NonNull<Kept<K>>) {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither used again nor dropped, so `trampoline` is taken only once.
        let trampoline = unsafe { ManuallyDrop::take(&mut this.trampoline) };
        (ManuallyDrop::new(trampoline), this.kept)
    }
}

impl<K> Deref for OnHeap<K> {
    type Target = BoundTrampoline;

    #[inline]
    fn deref(&self) -> &BoundTrampoline {
        &self.trampoline
    }
}

impl<K> Drop for OnHeap<K> {
    fn drop(&mut self) {
        // SAFETY: neither field is used again, and no call can begin between the two statements.
        unsafe {
            ManuallyDrop::drop(&mut self.trampoline);
            Kept::guard_dropped(self.kept);
        }
    }
}
