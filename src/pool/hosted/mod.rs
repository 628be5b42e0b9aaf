//! The pool for programs that run on an operating system: claiming, releasing and looking up slots.
//!
//! A slot is *unused* until its index is taken from the bitmap, then *live* and *dead* in turn. A dead slot is *warm*
//! for its own callee, which may reuse it immediately unless reuse is strict (`free_lists.rs`). The sweep gives it to
//! other callees (`sweep.rs`).
//!
//! ```text
//!            open             release: a store
//!   unused ---------> live -----------------------> dead
//!                          <-----------------------
//!                           claim: an exchange of the state word
//! ```

#[cfg(growing)]
mod added;
mod bitmap;
mod claim;
mod free_lists;
mod full;
mod heads;
mod release;
mod round;
mod segment;
mod segments;
mod slot;
mod sweep;

#[cfg(all(growing, feature = "__slot-extra"))]
pub use super::SlotExtra;
#[cfg(any(growing, test))]
pub(crate) use bitmap::words;
#[cfg(all(test, not(loom)))]
pub(crate) use bitmap::{BITS, Bitmap};
#[cfg(all(test, not(loom)))]
pub(crate) use round::QUARANTINE;
pub(crate) use segment::Table;
#[cfg(growing)]
pub(crate) use segment::{Region, Row, Segment};
#[cfg(growing)]
pub(crate) use segments::MOST_SLOTS;
use segments::{Inlined, Segments};
pub(crate) use slot::{INDEX_BITS, Slot};

use super::{Claim, Generation, LIVE, NotAStub, Owner, SlotPool, SlotState};
use crate::arch::signing::strip;
#[cfg(loom)]
use crate::sync::Ordering;
use crate::sync::{Acquire, Relaxed, const_fn};
pub(crate) use free_lists::{Packed, Shard};
pub(crate) use heads::{Heads, Shards};
use slot::FreeRecord;
use sweep::Sweep;

pub(crate) struct Pool<T: Table> {
    slots: Segments<T>,
    sweep: Sweep,
}

impl<T: Table> Pool<T> {
    const_fn! {
        pub(crate) fn new(table: T) -> Self {
            Pool { slots: Segments::new(table), sweep: Sweep::new() }
        }
    }

    /// Returns all slots.
    pub(crate) fn slots(&self) -> &Segments<T> {
        &self.slots
    }

    /// Returns the claim of the live trampoline in an open slot, or an error if the slot is dead.
    ///
    /// Acquire: `state_in` reads the words of this generation, or of a later one. A dead slot's callee is loaded with
    /// Relaxed, for the same reason as in `release_slow`.
    #[inline(always)]
    fn find_claim_in(&self, index: u32, slot: &Slot) -> Result<Claim, SlotState> {
        let generation = slot.state.load(Acquire);
        match Generation::new(generation).filter(|generation| generation.get() & LIVE != 0) {
            Some(generation) => Ok(Claim { index, generation }),
            None => Err(SlotState::Dead { callee: slot.callee.load(Relaxed) }),
        }
    }

    /// Returns the state of an open slot.
    #[inline(always)]
    fn state_in(&self, index: u32, slot: &Slot) -> SlotState {
        loop {
            let claim = match self.find_claim_in(index, slot) {
                Ok(claim) => claim,
                Err(found) => return found,
            };
            // Acquire: if one of these words belongs to a later generation, so does the state word that is read after
            // them. Making a trampoline stores the chain, then the entry; freeing stores the dead procedure, then the
            // record. So if neither load of the entry returns the dead procedure, the chain loaded between them is not
            // a free record.
            let entry = slot.entry.load(Acquire).cast_const();
            let chain = slot.chain.load(Acquire);
            let callee = slot.callee.load(Acquire).cast_const();
            let entry_again = slot.entry.load(Acquire).cast_const();
            if slot.state.load(Relaxed) == claim.generation.get() {
                return if [entry, entry_again].map(strip).contains(&self.slots.dead_procedure()) {
                    SlotState::Dead { callee }
                } else {
                    SlotState::Live { claim, callee, entry: strip(entry), chain }
                };
            }
        }
    }

    /// Returns the entry and the chain that a live trampoline's stub uses. Only for models.
    #[cfg(loom)]
    pub(crate) fn enter(&self, index: u32) -> (*const (), *mut ()) {
        let (entry, chain) = self.read_as_stub(index, Acquire);
        assert!(entry != self.slots.dead_procedure(), "call through a freed trampoline: slot {index}");
        (entry, chain)
    }
}

impl<T: Table> SlotPool for Pool<T> {
    fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    fn indices(&self) -> impl Iterator<Item = u32> {
        self.slots.indices()
    }

    fn is_open(&self, index: u32) -> bool {
        self.slots.opened(index).is_some()
    }

    fn added(&self) -> usize {
        self.slots.added()
    }

    fn grow(&self, known: usize, limit: usize) -> bool {
        self.slots.grow(known, limit)
    }

    #[inline(always)]
    fn stub(&self, claim: Claim) -> *const () {
        self.slots.stub(claim.index)
    }

    #[inline(always)]
    fn claim_fast(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        self.claim_from_list::<false>(Inlined::<T, false>(&self.slots), callee, owner)
    }

    #[inline(always)]
    fn claim_fast_shared(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        self.claim_from_list::<true>(Inlined::<T, false>(&self.slots), callee, owner)
    }

    #[inline(never)]
    fn claim_listed(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        self.claim_from_list::<true>(&self.slots, callee, owner)
    }

    // Claims a slot that is warm for the callee, or else an unused slot, or else any dead slot.
    #[cold]
    #[inline(never)]
    fn claim_slow(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        self.claim_listed(callee, owner).or_else(|| {
            if self.has_hosts_if_full().is_some() && !self.sweep.full.is_worn() {
                return None;
            }
            self.claim_unused(callee, owner).or_else(|| self.claim_swept(callee, owner))
        })
    }

    fn has_nothing_to_reclaim(&self) -> bool {
        self.has_hosts_if_full() == Some(false)
    }

    fn rejected(&self) {
        self.record_full();
    }

    #[inline(always)]
    fn arm(&self, claim: Claim, entry: *const (), chain: *mut ()) {
        self.slots.slot(claim.index).arm(entry, chain);
    }

    #[inline(always)]
    fn set_chain(&self, claim: Claim, chain: *mut ()) {
        self.slots.slot(claim.index).set_chain(chain);
    }

    // Relaxed: the owner reads the callee when freeing the slot. A concurrent lookup or call may see old and new values
    // of callee, entry and chain in any combination. The new entry comes from the caller, not from the slot, so it may
    // be signed without checking the old one.
    fn retarget(&self, claim: Claim, callee: *const (), chain: *mut ()) {
        let slot = self.slots.slot(claim.index);
        slot.callee.store(callee.cast_mut(), Relaxed);
        slot.leave_top(); // the list belongs to the former callee
        slot.arm(callee, chain);
    }

    // Relaxed: the owner reads back its own generation, or a later value if other code has freed the slot by address.
    #[inline(always)]
    fn release(&self, claim: Claim) -> bool {
        let slot = self.slots.slot(claim.index);
        if slot.state.load(Relaxed) != claim.generation.get() {
            return false;
        }
        let (index, generation) = (claim.index, claim.generation.get());
        if self.slots.is_in_table(index) && self.slots.is_marked_in_table(index, Relaxed) {
            self.release_marked(index, slot, generation);
        } else {
            self.release_and_mark(index, slot, generation);
        }
        true
    }

    fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        self.slots.index_of(address)
    }

    // Relaxed: the owner reads back its own generation. The callee that is read from a dead slot is its last callee or,
    // if another thread claims the slot concurrently, its next callee. `former_callee` returns the exact callee.
    fn release_slow(&self, address: usize) -> Result<(), SlotState> {
        let index = self.slots.index_of(address).map_err(SlotState::Not)?;
        let slot = self.slots.opened(index).ok_or(SlotState::Unused)?;
        if self.is_disarmed(slot) {
            return Err(SlotState::Dead { callee: slot.callee.load(Relaxed) });
        }
        self.release_and_mark(index, slot, slot.state.load(Relaxed));
        Ok(())
    }

    fn find_claim(&self, index: u32) -> Result<Claim, SlotState> {
        self.find_claim_in(index, self.slots.opened(index).ok_or(SlotState::Unused)?)
    }

    #[inline(never)]
    fn state_of(&self, index: u32) -> SlotState {
        self.slots.opened(index).map_or(SlotState::Unused, |slot| self.state_in(index, slot))
    }

    fn find(&self, address: usize) -> SlotState {
        let found = match self.slots.index_in_table(address) {
            Some(index) => self.slots.opened(index).map(|slot| (index, slot)),
            #[cfg(growing)]
            None => self
                .slots
                .index_in_row(address)
                .filter(|&(row, index)| row.is_open(index, Acquire))
                .map(|(row, index)| (index, row.slot_of(index, address))),
            #[cfg(not(growing))]
            None => None,
        };
        match found {
            Some((index, slot)) => self.state_in(index, slot),
            None => self.slots.index_of(address).map_or_else(SlotState::Not, |index| self.state_of(index)),
        }
    }

    // Acquire for the state: the callee and the chain that are read next belong to this free or to a later one.
    // Acquire for the callee: if the next owner stored this callee, the state that is read last is that owner's state.
    // Acquire for the chain: if a later free stored this record, the state that is read last is newer than `last_free`.
    fn former_callee(&self, record: usize) -> Option<(u32, *const ())> {
        let index = FreeRecord(record).index();
        let slot = self.slots.opened(index)?;
        let last_free = slot.state.load(Acquire);
        let former = slot.callee.load(Acquire).cast_const();
        let matches = last_free & LIVE == 0
            && slot.chain.load(Acquire).addr() == record
            && slot.state.load(Relaxed) == last_free;
        matches.then_some((index, former))
    }

    // Relaxed for the entry: only the processor orders a stub's loads, and `order` represents that ordering.
    #[cfg(loom)]
    fn read_as_stub(&self, index: u32, order: Ordering) -> (*const (), *mut ()) {
        let slot = self.slots.slot(index);
        let chain = slot.chain.load(order);
        (slot.entry.load(Relaxed).cast_const(), chain)
    }
}
