//! The free lists: which freed slot to reuse first. They are hints, kept per thread.
//!
//! A freed slot is *warm*: it still belongs to its last callee, the only one that may reuse it immediately. Each thread has a
//! *shard* in its own storage, with a list of warm slots for each of the last few callees it freed:
//!
//! ```text
//!   shard of a thread: deaths, lists
//!                              |-- callee f: top -> slot 7 -> slot 3 -> slot 9
//!                              '-- callee g: top -> slot 64
//! ```
//!
//! The top of a list may be live (claimed and not yet freed); the slots below it are warm. A program that makes and frees one
//! trampoline at a time therefore changes no list, and a deep recursion moves down and up its list one step for each slot.
//! Every free counts a death in the shard.
//!
//! Any of this may be wrong: a signal handler may run between two stores, a sweep may have given a listed slot to
//! another callee, and two threads may share a shard. In a model all threads share one shard; outside models, two
//! threads share a shard only if one was created with the thread pointer of the other. Only the state word decides
//! who owns a slot (`slot.rs`): a wrong list costs only time, and the sweep finds a slot lost from every list. When a
//! thread ends, its shard ends with it: the slots on its lists are then unlisted, and nothing has to be returned.

use super::segment::Table;
use super::segments::Segments;
use super::shard::{Shard, tag};
use super::slot::{DEATH, Slot};
use crate::pool::{Generation, LIVE, Owner};
use crate::sync::{Acquire, Relaxed, Release};

impl Shard {
    /// Takes a slot whose last callee was `callee`. Returns its index and its generation. With `IN_TABLE` only slots of
    /// the static table are considered, so that the inlined code makes no call; `None` then means that a search without
    /// `IN_TABLE` may find one.
    ///
    /// Acquire on the top: the thread that stored it knew that the slot was open. The index below the top is read Relaxed and
    /// proves nothing, so `opened` checks it. Release on the new top: a thread that reads the new top sees that its
    /// slot is open.
    #[inline(always)]
    pub(crate) fn pop<T: Table, const IN_TABLE: bool>(
        &self,
        slots: &Segments<T>,
        callee: *const (),
        owner: Owner,
    ) -> Option<(u32, Generation)> {
        let here = |index| !IN_TABLE || slots.is_in_table(index);
        let list = self.list(tag(callee))?;
        let top = Some(list.top.load(Acquire)).filter(|&top| here(top))?;
        let slot = slots.listed(top)?;
        if let Some(generation) = slot.revive(callee, owner) {
            return Some((top, generation));
        }
        // The top is live, as happens in a recursion: the slot below becomes the top.
        let below = Some(slot.below.load(Relaxed)).filter(|&below| here(below))?;
        let generation = slots.opened(below)?.revive(callee, owner)?;
        list.top.store(below, Release);
        Some((below, generation))
    }

    /// Puts a slot that is about to be freed on top of its callee's list. Returns the number of its death.
    ///
    /// Relaxed: the owner reads its own slot's callee.
    pub(crate) fn push<T: Table>(
        &self,
        slots: &Segments<T>,
        index: u32,
        slot: &Slot,
        generation: u32,
    ) -> u32 {
        self.push_listed::<_, false>(slots, index, slot, generation).unwrap_or_else(|| {
            let death = self.count_death(generation);
            self.new_list(tag(slot.callee.load(Relaxed)), index, slot, death / DEATH);
            death
        })
    }

    /// Does what [`push`](Shard::push) does, if the callee has a list; otherwise does nothing and returns `None`.
    /// `IN_TABLE` has the same meaning as for [`pop`](Shard::pop).
    ///
    /// Acquire on the top: its slot is open, and is read here. Release on the new top: a thread that reads it sees that this
    /// slot is open. Relaxed for the rest: the owner reads its own slot's callee, and the state of the top and the
    /// index below it are hints.
    #[inline(always)]
    pub(crate) fn push_listed<T: Table, const IN_TABLE: bool>(
        &self,
        slots: &Segments<T>,
        index: u32,
        slot: &Slot,
        generation: u32,
    ) -> Option<u32> {
        if cfg!(strict_reuse) {
            return Some(self.count_death(generation));
        }
        let list = self.list(tag(slot.callee.load(Relaxed)))?;
        let top = list.top.load(Acquire);
        if top != index {
            if IN_TABLE && !slots.is_in_table(top) {
                return None;
            }
            // A live top leaves the list; the slots below it remain.
            let live = slots.listed(top).filter(|above| above.state.load(Relaxed) & LIVE != 0);
            let below = live.map_or(top, |above| above.below.load(Relaxed));
            slot.below.store(if live.is_some() && below == top { index } else { below }, Relaxed);
            list.top.store(index, Release);
        }
        Some(self.count_death(generation))
    }
}
