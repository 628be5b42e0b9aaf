//! The reuse policy for dead slots: which dead slot is given to another callee when no unused slot is left.
//!
//! A call through a stale pointer is diagnosed as long as its slot stays dead, so the longest-dead slots are reused
//! first. For slots freed by the same thread, this order is exact. The search has three steps, each taken only if the
//! previous step found nothing:
//!
//! 1. the *batch*: the slots that had been dead longest when step 3 last ran, in the order of their frees;
//! 2. the round (`round.rs`): the next slot that stayed dead while [`QUARANTINE`] other slots were handed out. If many
//!    slots are dead, the first slot that the round reaches nearly always qualifies;
//! 3. all dead slots are compared, and the oldest become a new batch.
//!
//! If several threads sweep concurrently, each performs steps 2 and 3 only in its own window of the table, so that they
//! do not take slots from each other.
//!
//! Ages are measured by the *age clock*, which advances by one for each group of dead slots that a round has handed
//! out, and also when a batch is made. The marks, the rounds with their batches, and the clock are hints, like those in
//! `free_lists.rs`: only the state word decides who owns a slot. [`Pool::any_dead`](crate::pool::Pool) finds a dead
//! slot even if no hint refers to it any more, so a claim that reaches this search cannot fail while a slot is free.

use super::full::Full;
use super::round::{Batch, GROUP, QUARANTINE, Round, WINDOW, window_of};
use super::segments::{Find, Inlined};
use super::slot::{LastFree, Slot};
use super::{Pool, Table};
use crate::pool::{Claim, Generation, LIVE, Owner, SLOTS};
use crate::sync::{Acquire, AtomicU32, Relaxed, Release, const_fn};

/// The number of slots that are tried before the slow search.
const TRIES: u32 = if cfg!(loom) { 1 } else { 8 };
/// The age that the first slot of another window must have before a contended round moves there. Two threads that each
/// cycle through a thousand callees reuse each of their slots before it reaches that age.
const UNUSED: u32 = 64;

#[repr(C, align(32))]
pub(crate) struct Sweep {
    /// The age clock, which wraps around. It shares a cache line with the word in `full`, because each free reads both.
    age_clock: AtomicU32,
    pub(super) full: Full,
}

impl Sweep {
    const_fn! {
        pub(crate) fn new() -> Self {
            Sweep { age_clock: AtomicU32::new(0), full: Full::new() }
        }
    }

    /// Returns the current value of the age clock, which wraps around.
    #[inline(always)]
    pub(crate) fn age_clock(&self) -> u32 {
        self.age_clock.load(Relaxed)
    }

    /// Advances the age clock, and returns the new time.
    pub(super) fn advance_age_clock(&self) -> u32 {
        self.age_clock.fetch_add(1, Relaxed).wrapping_add(1)
    }
}

impl<T: Table> Pool<T> {
    pub(super) fn claim_swept(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        let round = self.round();
        let claim = self
            .of_batch(round, owner)
            .or_else(|| self.of_round(round, owner))
            .or_else(|| {
                self.fill_batch(round);
                self.of_batch(round, owner)
            })
            .or_else(|| self.any_dead(owner))?;
        self.hand_slot_over(round, claim.index, self.slots.slot(claim.index), callee);
        Some(claim)
    }

    /// Gives a claimed slot to `callee`, as the sweep does.
    #[cfg(any(test, loom))]
    pub(crate) fn hand_over(&self, claim: Claim, callee: *const ()) {
        self.hand_slot_over(self.round(), claim.index, self.slots.slot(claim.index), callee);
    }

    /// Gives a claimed slot to `callee`, which is normally not the slot's last callee.
    #[inline(always)]
    fn hand_slot_over(&self, round: &Round, index: u32, slot: &Slot, callee: *const ()) {
        slot.callee.store(callee.cast_mut(), Release); // for the same reason as the stores in `Slot::arm`
        slot.leave_top(); // the list belongs to the former callee
        self.count_handed_out(round, index);
    }

    /// Claims a slot that is currently dead, if `is_wanted` accepts its last free.
    ///
    /// Acquire, paired with the Release store that freed the slot: the former owner's stores happen before the new
    /// owner's.
    #[inline(always)]
    fn claim_if(slot: &Slot, owner: Owner, is_wanted: impl Fn(LastFree) -> bool) -> Option<Generation> {
        let last_free = slot.state.load(Acquire);
        if last_free & LIVE != 0 || !is_wanted(slot.last_free(last_free)) {
            return None;
        }
        slot.claim(last_free, owner)
    }

    /// Claims a slot that is currently dead. If a round is given, the slot must have stayed dead while [`QUARANTINE`]
    /// other slots were handed out.
    ///
    /// The clock is read after the state of the slot, so the time read is not earlier than that of the slot's free.
    #[inline(never)]
    pub(crate) fn claim_dead(&self, index: u32, owner: Owner, round: Option<&Round>) -> Option<Claim> {
        let slot = self.slots.opened(index)?;
        self.claim_slot(slot, owner, round).map(|generation| Claim { index, generation })
    }

    #[inline(always)]
    fn claim_slot(&self, slot: &Slot, owner: Owner, round: Option<&Round>) -> Option<Generation> {
        let is_old = |round: &Round, last_free: LastFree| {
            let now = self.sweep.age_clock();
            last_free.age(now) >= round.least_age(now)
        };
        Self::claim_if(slot, owner, |last_free| round.is_none_or(|round| is_old(round, last_free)))
    }

    #[inline(never)]
    fn of_batch(&self, round: &Round, owner: Owner) -> Option<Claim> {
        while let Some(index) = round.next_of_batch() {
            let is_of_batch = |last_free| round.still_of_batch(last_free, self.sweep.age_clock());
            let slot = self.slots.opened(index);
            if let Some(generation) = slot.and_then(|slot| Self::claim_if(slot, owner, is_of_batch)) {
                return Some(Claim { index, generation });
            }
        }
        None
    }

    /// Compares all dead slots. A contended round instead compares only the dead slots in its window and, if these are
    /// few, the dead slots after the window.
    ///
    /// The clock is advanced so that slots freed from now on, by any thread, are younger than those in the batch: frees
    /// by different threads are not numbered in the order in which they happen.
    ///
    /// A free that finds its slot marked does not mark it again. If the sweep has removed the mark in the meantime, the
    /// slot is dead but not marked. If only a few slots are marked, dead slots are therefore marked again, at most once
    /// per table's worth of claims.
    fn fill_batch(&self, round: &Round) {
        if self.compare_dead(round) <= QUARANTINE && round.may_mark(self.slots.capacity()) {
            self.slots.first_index(&mut |index| {
                if self.slots.opened(index).is_some_and(|slot| slot.state.load(Relaxed) & LIVE == 0) {
                    self.slots.mark(index);
                }
                false
            });
            self.compare_dead(round);
        }
    }

    /// Makes a new batch. Returns the number of slots compared.
    fn compare_dead(&self, round: &Round) -> u32 {
        let is_contended = round.is_contended(self.sweep.age_clock());
        let mut batch = Batch::new(self.advance_for(round));
        let start = round.window();
        let mut compared = 0;
        self.for_each_dead(start, &mut |index, slot| {
            if is_contended && compared > QUARANTINE && index.wrapping_sub(start) >= WINDOW {
                return false;
            }
            compared += 1;
            // Acquire: the clock is read next, and its time must not be earlier than that of the slot's free. With an
            // earlier time, the slot would seem older than all others.
            let last_free = slot.last_free(slot.state.load(Acquire));
            batch.now = self.sweep.age_clock();
            batch.add(index, last_free);
            true
        });
        round.keep(&batch);
        compared
    }

    /// Claims any dead slot, even one to which no hint refers any more.
    fn any_dead(&self, owner: Owner) -> Option<Claim> {
        let mut claim = None;
        self.slots.first_index(&mut |index| {
            claim = self.claim_dead(index, owner, None);
            claim.is_some()
        });
        claim
    }

    /// Visits the marked slots that are still dead, starting at an index and wrapping around, until `go_on` returns
    /// false. Removes the mark from any live slot that it finds.
    #[inline(never)]
    pub(super) fn for_each_dead(&self, start: u32, go_on: &mut dyn FnMut(u32, &Slot) -> bool) {
        // The whole segment that contains `start` is visited first, then the segments after it, and then the segments
        // before it.
        let segments = self.slots.added() + 1;
        let first = (start as usize / SLOTS).checked_ilog2().map_or(0, |number| number as usize + 1);
        for step in 0..segments {
            if !self.visit_dead((first + step) % segments, start, go_on) {
                return;
            }
        }
    }

    /// Like [`for_each_dead`](Pool::for_each_dead), but for one segment. Returns false if `go_on` returned false.
    fn visit_dead(&self, segment: usize, start: u32, go_on: &mut dyn FnMut(u32, &Slot) -> bool) -> bool {
        let Some(bits) = self.slots.numbered(segment) else { return true };
        let start = start.saturating_sub(bits.first);
        let start = if start < bits.len() { start } else { 0 };
        bits.dead.members_from(start as usize).all(|number| {
            let index = bits.first + number as u32;
            let Some(slot) = self.slots.opened(index) else {
                return true;
            };
            let is_live = || slot.state.load(Relaxed) & LIVE != 0;
            if is_live() {
                bits.dead.remove(number, Relaxed);
                if is_live() {
                    return true; // the slot's next release marks it again
                }
                bits.dead.insert(number, Release); // as in `release_and_mark`
            }
            go_on(index, slot)
        })
    }

    /// Advances the age clock as another thread's round would.
    #[cfg(all(test, not(any(loom, strict_reuse))))]
    pub(crate) fn count_another_group(&self) {
        self.sweep.advance_age_clock();
    }

    /// Returns the round of this thread. With strict reuse, there is only one round, so that each slot is reused as
    /// late as possible.
    pub(super) fn round(&self) -> &Round {
        self.slots.heads().round(if cfg!(strict_reuse) { 0 } else { self.slots.shard().block() })
    }

    /// Advances the age clock for a round, and returns the new time.
    ///
    /// The round's own count is increased first, so a thread that reads the clock between the two steps underestimates
    /// the other rounds' advances, perhaps even as less than 0.
    pub(super) fn advance_for(&self, round: &Round) -> u32 {
        round.advanced.fetch_add(1, Relaxed);
        self.sweep.advance_age_clock()
    }

    /// Counts a slot that was handed out.
    ///
    /// The time is read before the count is incremented. If another thread in this round increments the count between
    /// the two steps, the start recorded for a group may be too early, which only delays the reuse of slots. It is
    /// never too late.
    #[inline(never)]
    fn count_handed_out(&self, round: &Round, index: u32) {
        round.last.store(index, Relaxed);
        let is_last_of_group = round.handed_out.load(Relaxed).wrapping_add(1).is_multiple_of(GROUP);
        let now = if is_last_of_group { self.advance_for(round) } else { self.sweep.age_clock() };
        let count = round.handed_out.fetch_add(1, Relaxed).wrapping_add(1);
        if count.is_multiple_of(GROUP) {
            round.begun(count / GROUP).store(now, Relaxed);
        }
    }

    /// Claims the next slot of the round for another callee, if no unused slot is left and one of the next few slots
    /// may be handed out. Tries only slots in the static table, because, as far as this thread knows, the table has not
    /// grown.
    #[inline(always)]
    pub(crate) fn claim_swept_fast(&self, callee: *const (), owner: Owner) -> Option<(Claim, &Slot)> {
        let round = self.round();
        if !self.slots.has_no_unused() || round.left.load(Relaxed) != 0 {
            return None;
        }
        let (claim, slot) = self.next_of_round(round, TRIES, |index| {
            let slot = Inlined::<T, false>(&self.slots).opened(index)?;
            let generation = self.claim_slot(slot, owner, Some(round))?;
            Some((Claim { index, generation }, slot))
        })?;
        self.hand_slot_over(round, claim.index, slot, callee);
        Some((claim, slot))
    }

    /// Claims a slot that stayed dead while [`QUARANTINE`] other slots were handed out: a slot of the window if the
    /// round is contended, otherwise any slot.
    #[inline(never)]
    pub(super) fn of_round(&self, round: &Round, owner: Owner) -> Option<Claim> {
        let claim_dead = |index| self.claim_dead(index, owner, Some(round));
        if round.is_contended(self.sweep.age_clock()) {
            return self.next_of_round(round, WINDOW, claim_dead);
        }
        let mut claim = None;
        self.for_each_dead(round.next(), &mut |index, _| {
            claim = claim_dead(index);
            claim.is_none()
        });
        claim
    }

    /// Calls `claim` with up to `tries` successive indices of the round, until a call succeeds. If the round is not
    /// contended, stops at the end of the window without a result.
    #[inline(always)]
    fn next_of_round<C>(&self, round: &Round, tries: u32, claim: impl Fn(u32) -> Option<C>) -> Option<C> {
        let last = round.last.load(Relaxed);
        let mut window = window_of(last);
        for step in 1..=tries {
            let offset = last.wrapping_add(step) % WINDOW;
            if offset == 0 {
                window = self.next_window(round, window)?;
            }
            let claim = claim(window + offset);
            if claim.is_some() {
                return claim;
            }
        }
        None
    }

    /// Returns the first index of the window in which a contended round continues after the end of `window`.
    #[cold]
    #[inline(never)]
    fn next_window(&self, round: &Round, window: u32) -> Option<u32> {
        let now = self.sweep.age_clock();
        if !round.is_contended(now) {
            return None;
        }
        let next = (window + WINDOW) % (SLOTS as u32).next_multiple_of(WINDOW);
        let is_unused = self.slots.opened(next).is_some_and(|slot| {
            let state = slot.state.load(Relaxed);
            state & LIVE == 0 && slot.last_free(state).age(now) >= UNUSED
        });
        Some(if is_unused { next } else { window })
    }
}
