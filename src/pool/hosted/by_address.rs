//! Fast paths of a free by address. They call a function only if the slot is not on top of a list.
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

    /// Frees the trampoline at an address in the static table, if its slot is marked as having died before. Does
    /// nothing and returns false in any other case.
    ///
    /// Relaxed: the owner reads back its own generation.
    #[inline(always)]
    pub(crate) fn release_in_table(&self, address: usize) -> bool {
        self.marked_in_table(address).is_some_and(|(index, slot)| {
            self.end_marked_life(index, slot, slot.state.load(Relaxed));
            true
        })
    }

    /// Does the same as [`release_in_table`](Pool::release_in_table), but takes more code and fewer calls in a recursion.
    #[inline(always)]
    pub(crate) fn release_in_table_inline(&self, address: usize) -> bool {
        self.marked_in_table(address).is_some_and(|(index, slot)| {
            self.end_own_life(index, slot, slot.state.load(Relaxed));
            true
        })
    }

    /// Returns the index and the slot of a live trampoline in the static table, if the slot is marked as having died before.
    ///
    /// The entry shows whether the slot is dead. The state word would show this as well, but a program that
    /// alternately makes and frees a trampoline has just exchanged that word and would have to wait for the exchange.
    ///
    /// Acquire: a marked slot is open, because it has died.
    #[inline(always)]
    fn marked_in_table(&self, address: usize) -> Option<(u32, &Slot)> {
        let index = self.slots.index_in_table(address)?;
        if !self.slots.is_marked_in_table(index, Acquire) {
            return None;
        }
        let slot = self.slots.slot(index);
        if self.is_disarmed(slot) { None } else { Some((index, slot)) }
    }

    /// Does the same as [`release_in_table`](Pool::release_in_table) in the row.
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
        let slot = row.slot_of(index, address);
        if self.is_disarmed(slot) {
            return false;
        }
        self.end_marked_life(index, slot, slot.state.load(Relaxed));
        true
    }

    /// Frees a slot that is marked as having died before. If the slot is on top of a list, no list changes, so this
    /// calls no function, and the caller saves no registers.
    #[inline(always)]
    fn end_marked_life(&self, index: u32, slot: &Slot, generation: u32) {
        if cfg!(strict_reuse) || slot.is_on_top() {
            self.die(index, slot, self.slots.shard().count_death(generation));
        } else {
            self.end_listed_life(index, slot, generation);
        }
    }
}
