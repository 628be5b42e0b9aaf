//! Releasing a slot: by its owner's claim, by its address, or because the host's frame was abandoned (reclaim).
//!
//! The fast paths apply to a slot that is marked as having been freed before. If the slot is on top of a list, they
//! change no list and call no function.

#[cfg(growing)]
use super::Row;
use super::free_lists::tag;
use super::segments::Inlined;
use super::slot::{FreeRecord, NEXT_FREE, Slot};
use super::{Pool, Table};
use crate::pool::{Claim, Owner, SlotPool, SlotState};
use crate::sync::Acquire;
use crate::sync::Relaxed;

impl<T: Table> Pool<T> {
    /// Frees a slot that is marked as having been freed before. If the slot is on top of a list, no list changes, no
    /// function is called, and the caller saves no registers.
    #[inline(always)]
    pub(super) fn release_marked(&self, index: u32, slot: &Slot, generation: u32) {
        if cfg!(strict_reuse) || slot.is_on_top() {
            self.make_dead(index, slot, self.slots.shard().count_free(generation));
        } else {
            self.release_listed(index, slot, generation);
        }
    }

    /// Frees a slot and puts it on top of its list. Calls no function if the list exists and its top is in the static
    /// table or in the row.
    ///
    /// Relaxed: the owner reads its own slot's callee.
    #[inline(never)]
    fn release_listed(&self, index: u32, slot: &Slot, generation: u32) {
        let shard = self.slots.shard();
        let list = shard.list::<true>(self.slots.heads(), slot.callee.load(Relaxed));
        if list.is_some_and(|list| list.push(Inlined::<T, true>(&self.slots), index, slot)) {
            self.make_dead(index, slot, shard.count_free(generation));
        } else {
            self.release_unlisted(index, slot, generation);
        }
    }

    /// Handles the rare cases of [`release_listed`](Pool::release_listed): there is no list, or its top is in neither
    /// the static table nor the row. Makes a list if there is none.
    ///
    /// Relaxed: same as in `release_listed`.
    #[cold]
    #[inline(never)]
    fn release_unlisted(&self, index: u32, slot: &Slot, generation: u32) {
        let shard = self.slots.shard();
        let last_free = shard.count_free(generation);
        let (heads, callee) = (self.slots.heads(), slot.callee.load(Relaxed));
        let is_listed =
            shard.list::<true>(heads, callee).is_some_and(|list| list.push(&self.slots, index, slot));
        if !cfg!(strict_reuse) && !is_listed {
            shard.new_list(heads, tag(callee), index, slot, last_free / NEXT_FREE);
        }
        self.make_dead(index, slot, last_free);
    }

    /// Frees any slot, and then marks it as dead: a mark set before the free could be lost, because the sweep removes
    /// the mark of a live slot. Reclaiming also uses this function.
    #[cold]
    #[inline(never)]
    pub(super) fn release_and_mark(&self, index: u32, slot: &Slot, generation: u32) {
        self.release_listed(index, slot, generation);
        self.slots.mark(index);
    }

    #[inline(always)]
    fn make_dead(&self, index: u32, slot: &Slot, last_free: u32) {
        slot.disarm(self.slots.dead_procedure(), FreeRecord::new(index, self.sweep.age_clock()));
        slot.give_up(last_free);
        if self.slots.table().has_barrier() {
            self.sweep.full.forget();
        }
    }
}

/// By address.
impl<T: Table> Pool<T> {
    /// Returns whether the slot's stub jumps to the dead procedure.
    #[inline(always)]
    pub(super) fn is_disarmed(&self, slot: &Slot) -> bool {
        slot.enters(self.slots.dead_procedure())
    }

    /// Frees the live trampoline at an address in the static table, if its slot is marked as having been freed before.
    /// Otherwise does nothing and returns false.
    ///
    /// Relaxed: the owner reads back its own generation.
    #[inline(always)]
    pub(crate) fn release_fast(&self, address: usize) -> bool {
        let Some(index) = self.slots.index_in_table(address) else {
            return false;
        };
        // Acquire: the slot was opened before it was marked, so this thread sees that the slot is open.
        if !self.slots.is_marked_in_table(index, Acquire) {
            return false;
        }
        self.release_unless_dead(index, self.slots.slot(index))
    }

    /// Frees the trampoline in a slot that is marked as having been freed before. Returns false if the slot is dead.
    ///
    /// The entry shows whether the slot is dead. So does the state word, but in a program that alternately makes and
    /// frees a trampoline, loading it would mean waiting for the exchange that has just changed it.
    #[inline(always)]
    fn release_unless_dead(&self, index: u32, slot: &Slot) -> bool {
        if self.is_disarmed(slot) {
            return false;
        }
        self.release_marked(index, slot, slot.state.load(Relaxed));
        true
    }

    /// Like [`release_fast`](Pool::release_fast), but for an address in the row.
    #[cfg(growing)]
    #[inline(always)]
    pub(crate) fn release_fast_in_row(&self, address: usize) -> bool {
        let Some((row, index)) = self.slots.index_in_row(address) else {
            return false;
        };
        // Acquire: as in `release_fast`.
        if !row.is_marked(index, Acquire) {
            return false;
        }
        self.release_unless_dead(index, row.slot_of(index, address))
    }
}

/// Reclaiming trampolines that compiled code did not free because `longjmp` abandoned the host's frame. The caller
/// determines which frames were abandoned.
impl<T: Table> Pool<T> {
    /// Returns the claim, callee and chain of the live trampoline in a slot, if compiled code made the trampoline.
    pub(crate) fn of_host(&self, index: u32) -> Option<(Claim, *const (), *mut ())> {
        match self.state_of(index) {
            SlotState::Live { claim, callee, chain, .. }
                if Owner::of(claim.generation) == Owner::Compiler =>
            {
                Some((claim, callee, chain))
            }
            _ => None,
        }
    }

    /// Returns whether a slot's stub passes this chain: a quick check before [`of_host`](Pool::of_host).
    ///
    /// Relaxed: a caller that must find an existing trampoline is synchronized with the thread that made it. Any other
    /// caller makes a new trampoline if it finds none.
    pub(crate) fn passes(&self, index: u32, chain: *mut ()) -> bool {
        self.slots.opened(index).is_some_and(|slot| slot.chain.load(Relaxed) == chain)
    }

    /// Returns the result of [`of_host`](Pool::of_host) for every live trampoline made by compiled code.
    pub(crate) fn of_hosts(&self) -> impl Iterator<Item = (Claim, *const (), *mut ())> {
        self.slots.indices().filter_map(|index| self.of_host(index))
    }

    /// Frees the trampolines of abandoned frames. `is_abandoned` recognises such a trampoline from the slot's index and
    /// the chain. Returns the number of trampolines freed.
    pub(crate) fn reclaim(&self, is_abandoned: impl Fn(u32, *mut ()) -> bool) -> usize {
        self.slots.indices().filter(|&index| self.reclaim_slot(index, &is_abandoned)).count()
    }

    /// Reclaims one slot. Returns true if the slot was freed.
    pub(crate) fn reclaim_slot(&self, index: u32, is_abandoned: &impl Fn(u32, *mut ()) -> bool) -> bool {
        let Some((claim, _, chain)) = self.of_host(index) else {
            return false;
        };
        let slot = self.slots.slot(index);
        let seized = is_abandoned(index, chain) && slot.seize(claim.generation);
        if seized {
            self.release_and_mark(index, slot, claim.generation.get());
        }
        seized
    }
}
