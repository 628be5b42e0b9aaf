//! The rounds of the sweep: the order in which threads hand long-dead slots to other callees.
//!
//! A round is used by the threads of one block (`heads.rs`). While only one thread sweeps, its round passes through all
//! slots in the order of their indices. If several threads swept concurrently in this way, their rounds would take
//! slots that other threads have just used, and these slots would be in other processors' caches. A round that has seen
//! another round at work is therefore *contended*, and stays in a *window*, an aligned group of [`WINDOW`] slots:
//!
//! - At the end of the window, the round continues with the next window only if the first slot of that window has been
//!   dead for a long time, so that no thread seems to use the window. Otherwise the round starts again in its window.
//! - The batch (`sweep.rs`) contains the slots of the window that have been dead longest. If at most [`QUARANTINE`] slots
//!   of the window are dead, slots after the window are compared as well, until more than [`QUARANTINE`] slots have been
//!   compared.
//!
//! Between the death of a slot and the moment when a contended round takes it, at least [`QUARANTINE`] other slots have
//! been handed out or have died, unless fewer slots are dead.
//!
//! All words here are hints. A thread may change them while another thread that uses the same round reads them.

use super::segment::Table;
use super::slot::{Death, Record};
use super::sweep::{BATCH, Batch, QUARANTINE};
use super::{Owner, Pool};
use crate::pool::{Claim, LIVE, SLOTS};
use crate::sync::{AtomicU32, AtomicUsize, Relaxed, atomics, const_fn};

/// The age clock advances after a round has handed out this many slots, which form a *group*. Two groups are more than
/// [`QUARANTINE`] slots.
const GROUP: u32 = if cfg!(loom) { 2 } else { QUARANTINE.div_ceil(2) };
/// The number of slots in a window, a power of two. A contended round passes through its window in four groups.
pub(super) const WINDOW: u32 = if cfg!(loom) { 4 } else { 128 };
/// The number of groups whose beginnings are recorded, a power of two.
const RECORDED: usize = if cfg!(loom) { 4 } else { 8 };
/// A round is contended as soon as other rounds have advanced the age clock this many times.
const OTHERS: i32 = 8;
/// The number of slots that are tried before the slow search.
const TRIES: u32 = if cfg!(loom) { 1 } else { 8 };
/// The age that the first slot of another window must have before a contended round continues there. Two threads that
/// each use a thousand callees in turn reuse each of their slots before that age.
const UNUSED: u32 = 64;

/// A round.
#[repr(C, align(64))]
pub(crate) struct Round {
    /// The index of the slot that was handed out last.
    last: AtomicU32,
    /// The number of slots handed out. It wraps around.
    handed_out: AtomicU32,
    /// The times on the age clock at which the latest groups began. The number of a group selects the element.
    begun: [AtomicU32; RECORDED],
    /// The number of times that this round has advanced the clock. It wraps around.
    advanced: AtomicU32,
    /// The value of `handed_out` when dead slots were last marked again.
    marked: AtomicU32,
    /// 1 as soon as other rounds have advanced the clock [`OTHERS`] times. Never reset.
    contended: AtomicU32,
    /// The number of slots in the batch that have not been tried.
    left: AtomicU32,
    /// The record of the most recent death among the slots of the batch. This death's number is in `youngest_number`. A
    /// slot with a later death has been reused since the batch was made.
    youngest: AtomicUsize,
    youngest_number: AtomicU32,
    /// Indices of the longest-dead slots, in order of death from the last to the first.
    batch: [AtomicU32; BATCH],
}

impl Round {
    const_fn! {
        pub(super) fn new() -> Self {
            Round {
                last: AtomicU32::new(0),
                handed_out: AtomicU32::new(0),
                begun: atomics![AtomicU32::new(0); RECORDED],
                advanced: AtomicU32::new(0),
                marked: AtomicU32::new(0),
                contended: AtomicU32::new(0),
                left: AtomicU32::new(0),
                youngest: AtomicUsize::new(0),
                youngest_number: AtomicU32::new(0),
                batch: atomics![AtomicU32::new(0); BATCH],
            }
        }
    }

    /// Returns the index at which a search of all slots begins.
    fn next(&self) -> u32 {
        self.last.load(Relaxed) + 1
    }

    /// Returns the first index in this round's window.
    pub(super) fn window(&self) -> u32 {
        let last = self.last.load(Relaxed);
        last - last % WINDOW
    }

    /// Returns true, but not again before `capacity` slots have been handed out.
    pub(super) fn may_mark(&self, capacity: usize) -> bool {
        let count = self.handed_out.load(Relaxed);
        let may = count.wrapping_sub(self.marked.load(Relaxed)) as usize >= capacity;
        if may {
            self.marked.store(count, Relaxed);
        }
        may
    }

    fn group(&self) -> u32 {
        self.handed_out.load(Relaxed) / GROUP
    }

    fn begun(&self, group: u32) -> &AtomicU32 {
        &self.begun[group as usize % RECORDED]
    }

    /// Returns the smallest age at which a slot may be handed out; `now` is the time on the age clock. A slot of that age died
    /// before the two previous groups of this round, which have been handed out completely.
    pub(super) fn least_age(&self, now: u32) -> u32 {
        let begun = self.begun(self.group().wrapping_sub(2)).load(Relaxed);
        now.wrapping_sub(begun) + 1
    }

    /// Returns the next slot of the batch, or `None` if the batch is used up.
    pub(super) fn next_of_batch(&self) -> Option<u32> {
        let mut left = self.left.load(Relaxed);
        loop {
            let place = self.batch.get((left as usize).checked_sub(1)?)?;
            match self.left.compare_exchange(left, left - 1, Relaxed, Relaxed) {
                Ok(_) => return Some(place.load(Relaxed)),
                Err(now) => left = now, // another thread took a slot of the batch
            }
        }
    }

    /// Returns whether a slot of the batch with this death has been dead since the batch was made; `now` is the time on
    /// the age clock.
    pub(super) fn still_of_batch(&self, death: Death, now: u32) -> bool {
        let record = Record(self.youngest.load(Relaxed));
        let youngest = Death { record, number: self.youngest_number.load(Relaxed) };
        !youngest.before(death, now)
    }

    /// Replaces the batch.
    pub(super) fn keep(&self, batch: &Batch) {
        let in_order = batch.oldest.iter().take(batch.count);
        let Some(&(_, youngest)) = in_order.clone().next_back() else { return };
        for (place, &(index, _)) in self.batch.iter().zip(in_order.rev()) {
            place.store(index, Relaxed);
        }
        self.youngest.store(youngest.record.0, Relaxed);
        self.youngest_number.store(youngest.number, Relaxed);
        self.left.store(batch.count as u32, Relaxed);
    }

    /// Whether other rounds are at work; `now` is the time on the clock.
    #[inline(never)]
    pub(super) fn is_contended(&self, now: u32) -> bool {
        let by_others = now.wrapping_sub(self.advanced.load(Relaxed)) as i32;
        if by_others >= OTHERS {
            self.contended.store(1, Relaxed);
        }
        !cfg!(strict_reuse) && self.contended.load(Relaxed) != 0
    }
}

impl<T: Table> Pool<T> {
    /// Advances the age clock as a round of another thread does.
    #[cfg(all(test, not(any(loom, strict_reuse))))]
    pub(crate) fn count_another_group(&self) {
        self.sweep.advance_age_clock();
    }

    /// Returns the round of this thread. With strict reuse, there is only one round, so that each slot is reused as late
    /// as possible.
    pub(super) fn round(&self) -> &Round {
        self.slots.heads().round(if cfg!(strict_reuse) { 0 } else { self.slots.shard().block() })
    }

    /// Advances the age clock for a round, and returns the new time.
    ///
    /// The round counts first. A thread that reads the clock in the meantime finds fewer advances by other rounds than
    /// there were, which may be less than 0.
    pub(super) fn advance_for(&self, round: &Round) -> u32 {
        round.advanced.fetch_add(1, Relaxed);
        self.sweep.advance_age_clock()
    }

    /// Counts a slot that was handed out.
    ///
    /// The time is read before the slot is counted. If another thread of the round counts in the meantime, a group is
    /// recorded as having begun too early, never too late, and slots are merely handed out later.
    pub(super) fn count_handed_out(&self, index: u32) {
        let round = self.round();
        round.last.store(index, Relaxed);
        let is_last_of_group = round.handed_out.load(Relaxed).wrapping_add(1).is_multiple_of(GROUP);
        let now = if is_last_of_group { self.advance_for(round) } else { self.sweep.age_clock() };
        let count = round.handed_out.fetch_add(1, Relaxed).wrapping_add(1);
        if count.is_multiple_of(GROUP) {
            round.begun(count / GROUP).store(now, Relaxed);
        }
    }

    /// Claims the next slot of the round for another callee, if no unused slot is left, and one of the next few slots may
    /// be handed out.
    #[inline(never)]
    pub(crate) fn claim_next(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        let round = self.round();
        if !self.slots.has_no_unused() || round.left.load(Relaxed) != 0 {
            return None;
        }
        let claim = self.next_of_round(round, owner, TRIES)?;
        self.hand_over(claim, callee);
        Some(claim)
    }

    /// Claims a slot that stayed dead while [`QUARANTINE`] other slots were handed out: a slot of the window if the round
    /// is contended, otherwise any slot.
    #[inline(never)]
    pub(super) fn of_round(&self, round: &Round, owner: Owner) -> Option<Claim> {
        if round.is_contended(self.sweep.age_clock()) {
            return self.next_of_round(round, owner, WINDOW);
        }
        let mut claim = None;
        self.for_each_dead(round.next(), &mut |index, _| {
            claim = self.claim_dead(index, owner, Some(round));
            claim.is_none()
        });
        claim
    }

    /// Claims the next slot of the round that may be handed out. Gives up after trying `tries` slots. At the end of the
    /// window, a round that is not contended finds nothing.
    #[inline(never)]
    fn next_of_round(&self, round: &Round, owner: Owner, tries: u32) -> Option<Claim> {
        let last = round.last.load(Relaxed);
        let mut window = last - last % WINDOW;
        for step in 1..=tries {
            let place = last.wrapping_add(step) % WINDOW;
            if place == 0 {
                window = self.next_window(round, window)?;
            }
            let claim = self.claim_dead(window + place, owner, Some(round));
            if claim.is_some() {
                return claim;
            }
        }
        None
    }

    /// Returns the first index of the window in which a contended round continues at the end of a window.
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
            state & LIVE == 0 && slot.death(state).age(now) >= UNUSED
        });
        Some(if is_unused { next } else { window })
    }
}
