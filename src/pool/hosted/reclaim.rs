//! Reclaims trampolines that compiled code has not freed, because `longjmp` abandoned the host's frame. The caller
//! determines which frames were abandoned.

use super::{Pool, Table};
use crate::pool::{Claim, Owner, SlotPool, SlotState};
use crate::sync::Relaxed;

impl<T: Table> Pool<T> {
    /// Returns the claim, callee and chain of the live trampoline in a slot, if it belongs to compiled code.
    pub(crate) fn of_host(&self, index: u32) -> Option<(Claim, *const (), *mut ())> {
        match self.look(index) {
            SlotState::Live { claim, callee, chain, .. }
                if Owner::of(claim.generation) == Owner::Compiler =>
            {
                Some((claim, callee, chain))
            }
            _ => None,
        }
    }

    /// Returns whether the stub of a slot passes this chain: a quick check before a call of [`of_host`](Pool::of_host).
    ///
    /// Relaxed: a caller that must find an existing trampoline is synchronized with the thread that made it. Any
    /// other caller makes a new trampoline.
    pub(crate) fn passes(&self, index: u32, chain: *mut ()) -> bool {
        self.slots.opened(index).is_some_and(|slot| slot.chain.load(Relaxed) == chain)
    }

    /// Returns the result of [`of_host`](Pool::of_host) for every live trampoline of compiled code.
    pub(crate) fn of_hosts(&self) -> impl Iterator<Item = (Claim, *const (), *mut ())> {
        self.slots.indices().filter_map(|index| self.of_host(index))
    }

    /// Frees the trampolines of abandoned frames. `gone` recognises such a trampoline by the slot's index and the
    /// chain. Returns the number of trampolines that were freed.
    pub(crate) fn reclaim(&self, gone: impl Fn(u32, *mut ()) -> bool) -> usize {
        self.slots.indices().filter(|&index| self.reclaim_slot(index, &gone)).count()
    }

    /// Reclaims one slot. Returns true if the slot was freed.
    pub(crate) fn reclaim_slot(&self, index: u32, gone: &impl Fn(u32, *mut ()) -> bool) -> bool {
        let Some((claim, _, chain)) = self.of_host(index) else {
            return false;
        };
        let slot = self.slots.slot(index);
        let seized = gone(index, chain) && slot.seize(claim.generation);
        if seized {
            self.end_life(index, slot, claim.generation.get());
        }
        seized
    }
}
