//! A closure on the heap with its trampoline. Typed and raw guards both use this type.

use super::holder::Kept;
use super::{BindError, BoundTrampoline};
use crate::trampoline::AllocError;
use core::mem::ManuallyDrop;
use core::ops::Deref;
use core::ptr::NonNull;

/// A closure on the heap with its trampoline. Dropping this value frees the trampoline and then drops the closure. If
/// a call to the closure drops the value, the closure is dropped when the last running call ends.
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
