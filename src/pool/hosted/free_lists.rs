//! The free lists of each thread, which determine which freed slot is reused first. The lists are hints.
//!
//! A freed slot is *warm*: it still belongs to its last callee, the only one that may reuse it immediately. Each
//! thread has a *shard* with a list of warm slots for each of the last few callees that it freed. On most systems,
//! the shard is in thread-local storage. The heads of the lists for all other callees are in an array that all
//! threads share (`heads.rs`):
//!
//! ```text
//!   shard of a thread: frees, lists
//!                              |-- callee f: top -> slot 7 -> slot 3 -> slot 9
//!                              '-- callee g: top -> slot 64
//!   heads
//!     |-- the thread's callee h: top -> slot 12 -> slot 5
//!     '-- another thread's callee f: top -> slot 31
//! ```
//!
//! The top of a list may be live (claimed and not yet freed). The slots below the top are warm. A program that
//! alternately makes and frees one trampoline of the same callee therefore changes no list after the first free. A
//! deep recursion moves down its list by one step for each slot that it claims, and moves up again by one step for
//! each slot that it frees. Every free is counted in the shard.
//!
//! Every free marks its slot as the top of a list (`slot.rs`). A live slot loses its mark when another slot becomes the
//! top. A dead slot below the top keeps its mark, because it becomes the top again when it is next claimed. A free of a
//! marked slot neither changes nor searches a list. A mark remains even if the list head is replaced, either by another
//! thread or because this thread uses more callees than there are list heads. If the marked slot is then freed, it is
//! on no list, and only the sweep finds it. The same applies if another thread frees the marked slot after the thread
//! with the list has ended.
//!
//! In a recursion, a claim and a free of different slots are only a few instructions apart, so each loads words that
//! the other has just stored. AMD's Zen 4 predicts the store that such a load depends on, but remembers only about a
//! dozen pairs of loads and stores. Code with more pairs takes twice as long. These functions therefore avoid loads
//! that are not needed, and stores that do not change a word.
//!
//! Any list, mark or count may be wrong: a signal handler may run between two stores, a sweep may have given a listed
//! slot to another callee, and two threads may share a shard. In a model all threads share one shard, and on macOS all
//! threads share a few shards (`src/table/thread.rs`). Elsewhere, two threads share a shard only if one was created
//! with the thread pointer of the other. Only the state word decides who owns a slot (`slot.rs`): a wrong list costs
//! only time, and the sweep finds a slot lost from every list. When a thread with its own shard ends, the shard ceases
//! to exist, and the slots on its lists are no longer listed anywhere. An ending thread therefore need not give back
//! any slots.

use super::heads::{Head, Heads, Shard, tag};
#[cfg(growing)]
use super::segment::Row;
use super::segment::Table;
use super::segments::Segments;
use super::slot::{NEXT_FREE, Slot, Unrevived};
use crate::pool::{Generation, LIVE, Owner};
#[cfg(growing)]
use crate::sync::Acquire;
use crate::sync::Relaxed;

/// A strategy for finding the slots of a list. A strategy that finds only some of the slots takes less code.
pub(super) trait Find<'a> {
    /// Returns the slot for an index that was on top of a list. The Acquire load of that top made both the slot's
    /// segment and the opening of the slot visible.
    fn listed(&self, index: u32) -> Option<&'a Slot>;
    /// Returns the slot with this index if the slot is open. The index may be any number.
    fn opened(&self, index: u32) -> Option<&'a Slot>;
}

impl Head<'_> {
    /// Takes a slot whose last callee was `callee`. Returns the slot, its index and its generation.
    ///
    /// The top was read with Acquire, and the thread that stored it knew that the slot was open. The index below the
    /// top is read with Relaxed, so its slot might not be open, and `opened` checks this.
    #[inline(always)]
    pub(super) fn pop<'a>(
        self,
        slots: impl Find<'a>,
        callee: *const (),
        owner: Owner,
    ) -> Option<(u32, &'a Slot, Generation)> {
        let slot = slots.listed(self.top)?;
        match slot.revive(callee, owner) {
            Ok(generation) => return Some((self.top, slot, generation)),
            // Usually the sweep has given the top slot to another callee. The slots below it have been dead longer, so
            // the sweep has normally given them to other callees as well.
            Err(Unrevived::OfAnother) => return None,
            Err(Unrevived::Live) => {}
        }
        // The top slot is live, for example in a recursion. The slot below the live one becomes the top. The marks
        // are hints, so another thread may change them concurrently.
        let below = slot.leave_top();
        let lower = slots.opened(below)?;
        let generation = lower.revive(callee, owner).ok()?;
        self.put(below);
        Some((below, lower, generation))
    }

    /// Puts a slot that is about to be freed on top of this list. Returns false, without changing anything, if
    /// `slots` does not find the slot that is on top now.
    ///
    /// The top was read with Acquire, so its slot is open and may be read. Relaxed for the other loads: the state of
    /// the top and the index below it are hints.
    #[inline(always)]
    pub(super) fn push<'a>(self, slots: impl Find<'a>, index: u32, slot: &Slot) -> bool {
        if self.top == index {
            slot.put_on_top(slot.index_below());
            return true;
        }
        // A live top slot is removed from the list. The slots below it remain.
        let Some(above) = slots.listed(self.top) else { return false };
        let mut below = self.top;
        if above.state.load(Relaxed) & LIVE != 0 {
            let rest = above.leave_top();
            below = if rest == self.top { index } else { rest };
        }
        slot.put_on_top(below);
        self.put(index);
        true
    }
}

impl Shard {
    /// Returns the list of a callee, if it is in this shard or, with `ANY`, in the shared array.
    #[inline(always)]
    pub(super) fn list<'a, const ANY: bool>(
        &'a self,
        heads: &'a Heads,
        callee: *const (),
    ) -> Option<Head<'a>> {
        if cfg!(strict_reuse) {
            return None;
        }
        let tag = tag(callee);
        let own = self.own(tag);
        if ANY { own.or_else(|| heads.find(self.home(tag))) } else { own }
    }

    /// Takes a slot from the list of `callee`, as [`Head::pop`] does. Without `ANY`, only lists in this shard are
    /// considered.
    #[inline(always)]
    pub(super) fn pop<'a, const ANY: bool>(
        &self,
        heads: &Heads,
        slots: impl Find<'a>,
        callee: *const (),
        owner: Owner,
    ) -> Option<(u32, &'a Slot, Generation)> {
        self.list::<ANY>(heads, callee)?.pop(slots, callee, owner)
    }

    /// Puts a slot that is about to be freed on top of its callee's list. Makes a list if the callee has none, or if
    /// the top slot of its list is not found.
    ///
    /// Relaxed: the owner reads its own slot's callee.
    pub(super) fn put_on_list<'a>(
        &self,
        heads: &Heads,
        slots: impl Find<'a>,
        index: u32,
        slot: &Slot,
        last_free: u32,
    ) {
        let callee = slot.callee.load(Relaxed);
        let is_listed = self.list::<true>(heads, callee).is_some_and(|list| list.push(slots, index, slot));
        if !cfg!(strict_reuse) && !is_listed {
            self.new_list(heads, tag(callee), index, slot, last_free / NEXT_FREE);
        }
    }
}

/// Finds only slots of the static table.
pub(super) struct InTable<'a, T: Table>(pub(super) &'a Segments<T>);

impl<'a, T: Table> Find<'a> for InTable<'a, T> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        if self.0.is_in_table(index) { Some(self.0.slot(index)) } else { None }
    }

    #[inline(always)]
    fn opened(&self, index: u32) -> Option<&'a Slot> {
        if self.0.is_in_table(index) { self.0.opened(index) } else { None }
    }
}

/// Finds only slots of the row.
#[cfg(growing)]
pub(super) struct InRow<'a, T: Table>(pub(super) &'a Segments<T>);

#[cfg(growing)]
impl<'a, T: Table> Find<'a> for InRow<'a, T> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        if let Some(row) = self.0.in_row(index) { Some(row.slot(index)) } else { None }
    }

    #[inline(always)]
    fn opened(&self, index: u32) -> Option<&'a Slot> {
        match self.0.in_row(index) {
            Some(row) if row.is_open(index, Acquire) => Some(row.slot(index)),
            _ => None,
        }
    }
}

/// Finds only slots of the static table and of the row, without calling a function.
pub(super) struct Near<'a, T: Table>(pub(super) &'a Segments<T>);

impl<'a, T: Table> Find<'a> for Near<'a, T> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        #[cfg(growing)]
        if !self.0.is_in_table(index) {
            return InRow(self.0).listed(index);
        }
        InTable(self.0).listed(index)
    }

    #[inline(always)]
    fn opened(&self, index: u32) -> Option<&'a Slot> {
        #[cfg(growing)]
        if !self.0.is_in_table(index) {
            return InRow(self.0).opened(index);
        }
        InTable(self.0).opened(index)
    }
}

/// Finds all slots.
pub(super) struct Anywhere<'a, T: Table>(pub(super) &'a Segments<T>);

impl<'a, T: Table> Find<'a> for Anywhere<'a, T> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        self.0.listed(index)
    }

    fn opened(&self, index: u32) -> Option<&'a Slot> {
        self.0.opened(index)
    }
}
