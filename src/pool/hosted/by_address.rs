//! Fast paths for freeing a trampoline by its address. They make a function call only if the slot is not on top of a
//! list.
#![cfg(any(fast_free, test))]

#[cfg(growing)]
use super::Row;
use super::slot::Slot;
use super::{Pool, Table};
use crate::sync::{Acquire, Relaxed};

impl<T: Table> Pool<T> {
    /// Returns whether the slot's stub enters the dead procedure.
    #[inline(always)]
    pub(super) fn is_disarmed(&self, slot: &Slot) -> bool {
        slot.enters(self.slots.dead_procedure())
    }

    /// Frees the live trampoline at an address in the static table, if its slot is marked as having died before.
    /// Otherwise does nothing and returns false.
    ///
    /// Relaxed: the owner reads back its own generation.
    #[inline(always)]
    pub(crate) fn release_in_table(&self, address: usize) -> bool {
        let Some(index) = self.slots.index_in_table(address) else {
            return false;
        };
        // Acquire: the slot was opened before it was marked, so this thread sees that the slot is open.
        if !self.slots.is_marked_in_table(index, Acquire) {
            return false;
        }
        self.release_marked(index, self.slots.slot(index))
    }

    /// Frees the trampoline in a slot that is marked as having died before. Returns false if the slot is dead.
    ///
    /// The entry shows whether the slot is dead. The state word would show this as well, but a program that
    /// alternately makes and frees a trampoline has just exchanged that word and would have to wait for the exchange.
    #[inline(always)]
    fn release_marked(&self, index: u32, slot: &Slot) -> bool {
        if self.is_disarmed(slot) {
            return false;
        }
        self.end_marked_life(index, slot, slot.state.load(Relaxed));
        true
    }

    /// Like [`release_in_table`](Pool::release_in_table), but for an address in the row.
    #[cfg(growing)]
    #[inline(always)]
    pub(crate) fn release_in_row(&self, address: usize) -> bool {
        let Some((row, index)) = self.slots.index_in_row(address) else {
            return false;
        };
        // Acquire: as in `release_in_table`.
        if !row.is_marked(index, Acquire) {
            return false;
        }
        self.release_marked(index, row.slot_of(index, address))
    }
}
