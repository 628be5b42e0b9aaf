//! Claiming a slot, with or without arming it. The sources are tried from the cheapest to the most expensive: this
//! thread's free lists, the unused indices, and the sweep (`sweep.rs`). `src/pool/mod.rs` names the steps.

use super::free_lists::{Head, Packed};
#[cfg(growing)]
use super::segment::Row;
use super::segments::{Find, Inlined};
use super::{Pool, Table};
use crate::pool::{Claim, Owner};
use crate::sync::{Relaxed, Release};

impl<T: Table> Pool<T> {
    /// Tries to claim, from this thread's free lists, a slot whose last callee was `callee`. `slots` determines which
    /// slots are found; without `SHARED`, only the lists in the thread's shard are used.
    #[inline(always)]
    pub(super) fn claim_from_list<'a, const SHARED: bool>(
        &'a self,
        slots: impl Find<'a>,
        callee: *const (),
        owner: Owner,
    ) -> Option<Claim> {
        let list = self.slots.shard().list::<SHARED>(self.slots.heads(), callee)?;
        let (index, _, generation) = list.pop(slots, callee, owner)?;
        Some(Claim { index, generation })
    }

    /// Returns the list of `callee`, if that list exists.
    #[inline(always)]
    pub(crate) fn list(&self, callee: *const ()) -> Option<Head<'_>> {
        self.slots.shard().list::<true>(self.slots.heads(), callee)
    }

    /// Makes a trampoline in the slot on top of the list that [`list`](Pool::list) returned for `callee`, if the slot
    /// is free and in the static table. Returns the stub.
    #[inline(always)]
    pub(crate) fn make_fast(
        &self,
        list: Head,
        callee: *const (),
        owner: Owner,
        entry: *const (),
        chain: *mut (),
    ) -> Option<*const ()> {
        let slot = Inlined::<T, false>(&self.slots).listed(list.top)?;
        slot.revive(callee, owner).ok()?;
        slot.arm(entry, chain);
        Some(self.slots.stub(list.top))
    }

    /// Like [`make_fast`](Pool::make_fast), but the slot may also be in the row, or below the top of the list. If the
    /// list has no free slot and no unused slot is left, takes the next slot of the sweep's round.
    #[inline(always)]
    pub(crate) fn make_listed(
        &self,
        list: Packed,
        callee: *const (),
        owner: Owner,
        entry: *const (),
        chain: *mut (),
    ) -> Option<*const ()> {
        let Some((index, slot, _)) = list.head().pop(Inlined::<T, true>(&self.slots), callee, owner) else {
            return self.make_swept(list, callee, owner, entry, chain);
        };
        slot.arm(entry, chain);
        #[cfg(growing)]
        if !self.slots.is_in_table(index) {
            return Some(self.slots.table().row().stub_of(index, slot));
        }
        Some(self.slots.stub(index))
    }

    /// Makes a trampoline in the next slot of the sweep's round, if no unused slot is left. The slot is put on the list
    /// now rather than when it is freed, because the list is already known here.
    #[inline(never)]
    fn make_swept(
        &self,
        list: Packed,
        callee: *const (),
        owner: Owner,
        entry: *const (),
        chain: *mut (),
    ) -> Option<*const ()> {
        let (claim, slot) = self.claim_swept_fast(callee, owner)?;
        list.head().push(Inlined::<T, false>(&self.slots), claim.index, slot);
        slot.arm(entry, chain);
        Some(self.slots.stub(claim.index))
    }

    /// Claims a slot that was never used.
    ///
    /// Relaxed for `all_taken`: this flag never changes back to 0, and a thread that still reads 0 merely searches a
    /// full bitmap once more.
    pub(crate) fn claim_unused(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        self.slots.all().find_map(|bits| {
            if bits.all_taken.load(Relaxed) != 0 {
                return None;
            }
            let shard = self.slots.shard();
            let Some(number) = bits.taken.claim_absent(shard.start(bits.first, bits.taken.words())) else {
                bits.all_taken.store(1, Relaxed);
                return None;
            };
            let index = bits.first + number as u32;
            shard.took_unused(index);
            let generation = self.slots.slot(index).open(callee, self.slots.dead_procedure(), owner);
            // Release: a thread that sees the bit also sees the words that `open` has stored.
            bits.open.insert(number, Release);
            Some(Claim { index, generation })
        })
    }
}
