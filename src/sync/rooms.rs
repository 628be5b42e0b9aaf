//! Counts the rooms in use in a pool that never frees its memory. Each room can store one closure.

#[cfg(not(target_has_atomic = "ptr"))]
use super::section::Exchanges as _;
use super::{Acquire, AtomicUsize, Relaxed, Release, const_fn};

/// A counter of the rooms in use, which are always the first rooms of the pool.
pub(crate) struct InUse(AtomicUsize);

impl InUse {
    const_fn! { pub(crate) fn new() -> Self { InUse(AtomicUsize::new(0)) } }

    /// Claims the next of `len` rooms for the calling thread.
    pub(crate) fn take(&self, len: usize) -> Option<usize> {
        let mut next = self.count();
        while next < len {
            // Acquire: everything that the room's previous owner did with it happens before this.
            match self.0.compare_exchange(next, next + 1, Acquire, Relaxed) {
                Ok(_) => return Some(next),
                Err(other) => next = other,
            }
        }
        None
    }

    /// Releases a room that the calling thread claimed. If the next room has since been claimed, the released one is
    /// lost.
    pub(crate) fn give_back(&self, room: usize) {
        // Release: everything that this thread did with the room is visible to the next owner.
        let _ = self.0.compare_exchange(room + 1, room, Release, Relaxed);
    }

    /// Returns the number of rooms in use, which other threads may change at any time.
    pub(crate) fn count(&self) -> usize {
        // Relaxed: no other memory is read based on this number.
        self.0.load(Relaxed)
    }
}
