//! The trait of every pool, and the order in which a slot is looked for.

use super::{Claim, NotAStub, Owner, SlotState};
#[cfg(loom)]
use crate::sync::Ordering;

/// What [`SlotPool::find_slot`] has found.
pub(crate) enum FoundSlot<S> {
    /// A slot, which must be armed.
    Claimed(Claim),
    /// What `same` gave.
    Same(S),
}

/// What every pool does. An index is one that this pool has given out.
pub(crate) trait SlotPool {
    /// How many slots there are.
    fn capacity(&self) -> usize;

    /// The index of each.
    fn indices(&self) -> impl Iterator<Item = u32>;

    /// Whether a slot has ever been handed out.
    fn is_open(&self, index: u32) -> bool;

    /// How often the table has grown.
    fn added(&self) -> usize {
        0
    }

    /// Makes the table grow, up to `limit` slots, if nobody has since it had grown `known` times.
    /// False if it cannot.
    fn grow(&self, _known: usize, _limit: usize) -> bool {
        false
    }

    /// What a trampoline's user calls.
    fn stub(&self, claim: Claim) -> *const ();

    /// The slot that this thread freed last for `callee`, if it is still free. Small, to
    /// be inlined; what is not found here is a case for `claim_cold`, which looks again.
    fn claim_fast(&self, _callee: *const (), _owner: Owner) -> Option<Claim> {
        None
    }

    /// Claims any slot on behalf of `callee`; `None` if all are live. It must be armed.
    fn claim_cold(&self, callee: *const (), owner: Owner) -> Option<Claim>;

    /// [`claim_fast`](SlotPool::claim_fast), else [`claim_cold`](SlotPool::claim_cold).
    #[cfg(test)]
    fn claim(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        self.claim_fast(callee, owner).or_else(|| self.claim_cold(callee, owner))
    }

    /// Finds a slot for a new trampoline of `callee`. Each of these only if those before have nothing:
    ///
    /// 1. a slot that is free, or was never used;
    /// 2. one that `reclaim` has freed: it says whether there was anything;
    /// 3. the trampoline that `same` knows, which does as well: no slot is claimed then;
    /// 4. one of those by which the table grows, up to as many in all as `limit` says.
    ///
    /// `None` only if at some moment of this call all slots were live.
    fn find_slot<S>(
        &self,
        callee: *const (),
        owner: Owner,
        reclaim: impl FnOnce() -> bool,
        same: impl FnOnce() -> Option<S>,
        limit: impl Fn() -> usize,
    ) -> Option<FoundSlot<S>> {
        let free = || self.claim_cold(callee, owner).map(FoundSlot::Claimed);
        let mut known = self.added();
        let mut found = free();
        if found.is_none() && reclaim() {
            found = free();
        }
        found = found.or_else(|| same().map(FoundSlot::Same));
        // Other threads may take all that was added.
        while found.is_none() && self.grow(known, limit()) {
            known = self.added();
            found = free();
        }
        found
    }

    /// Makes the stub of a claimed slot enter `entry` with `chain`.
    fn arm(&self, claim: Claim, entry: *const (), chain: *mut ());

    /// Changes the chain of a live trampoline. Only the owner may.
    fn set_chain(&self, claim: Claim, chain: *mut ());

    /// Changes both words, and what a stale pointer means. Only the owner may.
    fn retarget(&self, claim: Claim, callee: *const (), chain: *mut ());

    /// Frees the trampoline of a claim. False, and nothing is done, if the slot is not in that
    /// generation any more, whether it is dead or live again.
    fn release(&self, claim: Claim) -> bool;

    /// The index of the slot whose stub begins at `address`.
    fn index_of(&self, address: usize) -> Result<u32, NotAStub>;

    /// The usual case of [`release_at`](SlotPool::release_at), if there is one that is quicker;
    /// false, and nothing is done, in any other.
    fn release_fast(&self, _address: usize) -> bool {
        false
    }

    /// Frees the trampoline at `address`, which only its owner may do. Of a slot that was
    /// freed and is live again it frees the new trampoline: an address cannot tell them apart.
    fn release_at(&self, address: usize) -> Result<(), SlotState>;

    /// The claim of the live trampoline with this index.
    fn claim_of(&self, index: u32) -> Result<Claim, SlotState>;

    /// What is in a slot. Of a trampoline that is being made or freed meanwhile the answer is
    /// one that was right at some moment of this call.
    fn look(&self, index: u32) -> SlotState;

    /// What there is at `address`; as [`look`](SlotPool::look).
    fn find(&self, address: usize) -> SlotState {
        self.index_of(address).map_or_else(SlotState::Not, |index| self.look(index))
    }

    /// The live trampolines, as they are met.
    fn live(&self) -> impl Iterator<Item = Claim> {
        self.indices().filter_map(|index| self.claim_of(index).ok())
    }

    /// The index and the late callee of a slot whose death record a stale call has brought;
    /// `None` if the slot is still being freed, or serves again.
    fn late_callee(&self, record: usize) -> Option<(u32, *const ())>;

    /// What a stub reads, its slot's entry and chain, in the order of its loads: the chain first, and the entry after it
    /// if `order` is Acquire.
    #[cfg(loom)]
    fn read_as_stub(&self, index: u32, order: Ordering) -> (*const (), *mut ());
}
