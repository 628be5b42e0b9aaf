//! Which freed slot to take again first: advice, kept apart for each thread.
//!
//! A freed slot is *warm*: it still serves its callee, and only that callee may
//! have it back at once. Each thread has a *shard* in its own storage, with a list of
//! warm slots for each of the last few callees it freed:
//!
//! ```text
//!   shard of a thread: deaths, lists
//!                              |-- callee f: top -> slot 7 -> slot 3 -> slot 9
//!                              '-- callee g: top -> slot 64
//! ```
//!
//! The top of a list may be live (it was taken and is not back yet); what lies below is
//! warm. So a program that makes and frees one trampoline at a time changes no list, and a free
//! stores nothing here but the shard's count of deaths; a deep recursion goes down and up its list one step for each slot.
//!
//! All of this may be wrong: a signal handler may come between two stores, a sweep may have
//! given a listed slot to another callee, and two threads may share a shard (in the models
//! all do; else those that a program makes with the thread pointer of another). A slot is
//! owned by its state word alone (`slot.rs`); a wrong list costs only time, and a slot lost
//! from every list is found by the sweep. A thread that ends takes its shard along: what is
//! on its lists is unlisted then, and nothing has to be given back.

use super::segment::Table;
use super::segments::Segments;
use super::shard::{Shard, tag};
use super::slot::{DEATH, Slot};
use crate::pool::{Generation, LIVE, Owner};
use crate::sync::{Acquire, Relaxed, Release};

impl Shard {
    /// Takes a slot that served `callee` last: its index and its generation. With `IN_TABLE` only slots of the static
    /// table are looked at: what is inlined needs no call then, and `None` means that the other way may find one.
    ///
    /// Acquire on the top: whoever stored it knew that the slot was open. Of an index from
    /// below it, read Relaxed, that is not known, so `opened` looks. Release on the new top: whoever takes it from there
    /// finds its slot open, as this thread does.
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
        // The top is in use, as it is in a recursion: the one below comes to the top.
        let below = Some(slot.below.load(Relaxed)).filter(|&below| here(below))?;
        let generation = slots.opened(below)?.revive(callee, owner)?;
        list.top.store(below, Release);
        Some((below, generation))
    }

    /// Puts a slot that is about to die on top of its callee's list. Returns the number
    /// of its death.
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

    /// As [`push`](Shard::push), if the callee has a list. `IN_TABLE` as for [`pop`](Shard::pop). `None`, and nothing
    /// is done, in any other case.
    ///
    /// Acquire on the top: its slot is open, and read here. Release on the new top: this slot is open, and whoever takes it
    /// from there sees that. Relaxed, of the rest: the callee is the owner's; whether the top is live, and what is below
    /// it, is advice.
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
            // A live top leaves the list; what was below it stays.
            let live = slots.listed(top).filter(|above| above.state.load(Relaxed) & LIVE != 0);
            let below = live.map_or(top, |above| above.below.load(Relaxed));
            slot.below.store(if live.is_some() && below == top { index } else { below }, Relaxed);
            list.top.store(index, Release);
        }
        Some(self.count_death(generation))
    }
}
