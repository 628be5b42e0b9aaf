//! A closure on the heap with its trampoline: the part that typed and raw guards have in common.

use super::holder::Kept;
use super::{BindError, BoundTrampoline};
use crate::trampoline::AllocError;
use core::mem::ManuallyDrop;
use core::ops::Deref;
use core::ptr::NonNull;

/// Dropping this value frees the trampoline, then drops the closure. If a call to the closure drops the value, the
/// closure is dropped when that call ends.
pub(crate) struct OnHeap<K> {
    trampoline: ManuallyDrop<BoundTrampoline>,
    kept: NonNull<Kept<K>>,
}

// SAFETY: the closure is moved to the other thread, and the first thread may continue to call it.
unsafe impl<K: Send + Sync> Send for OnHeap<K> {}
// SAFETY: a reference allows nothing except calls.
unsafe impl<K: Sync> Sync for OnHeap<K> {}

impl<K> OnHeap<K> {
    /// Joins a closure with its trampoline, or returns the closure if it has none.
    ///
    /// # Safety
    /// `kept` must be new, and `trampoline`, if it is not an error, must be made for it.
    pub(crate) unsafe fn new(
        kept: NonNull<Kept<K>>,
        trampoline: Result<BoundTrampoline, AllocError>,
    ) -> Result<Self, BindError<K>> {
        match trampoline {
            Ok(trampoline) => Ok(OnHeap { trampoline: ManuallyDrop::new(trampoline), kept }),
            // SAFETY: no function pointer leads to the closure.
            Err(source) => Err(BindError { closure: unsafe { Kept::into_inner(kept) }, source }),
        }
    }

    /// Returns the trampoline and the closure, which the caller must free.
    pub(super) fn into_parts(self) -> (ManuallyDrop<BoundTrampoline>, NonNull<Kept<K>>) {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither used again nor dropped.
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
        // SAFETY: neither is used again, and no call can begin between the two.
        unsafe {
            ManuallyDrop::drop(&mut self.trampoline);
            Kept::guard_dropped(self.kept);
        }
    }
}
