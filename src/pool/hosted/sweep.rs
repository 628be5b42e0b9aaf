//! The reuse policy for dead slots. It determines which dead slot is given to another callee when no unused slot is
//! left.
//!
//! A call through a stale pointer is diagnosed as long as its slot stays dead, so slots that have been dead for a
//! long time are reused first. The order of deaths is known exactly among the slots that one thread frees. The search
//! has three steps. Each step is taken only if the previous one found nothing:
//!
//! 1. the *batch*: the slots that had been dead longest when step 3 last ran, in the order of their deaths;
//! 2. the round: the next slot that stayed dead while [`QUARANTINE`] other slots were handed out. If many slots are
//!    dead, this is nearly always the first slot that the round reaches;
//! 3. all dead slots are compared, and the oldest become a new batch.
//!
//! Ages are measured by the *age clock*, which advances by one each time the sweep hands out a dead slot. The marks,
//! the batch and the clock are hints, as in `free_lists.rs`. Only the state word decides who owns a slot.
//! [`Pool::any_dead`](crate::pool::Pool) finds a slot lost from every hint, so no claim that searches fails while a
//! slot is free.

use super::full::Full;
use super::segment::SegmentBits;
use super::slot::{Death, Record, Slot};
use super::{Pool, Table};
use crate::pool::{Claim, LIVE, Owner};
use crate::sync::{Acquire, AtomicU32, AtomicUsize, Relaxed, Release, atomics, const_fn};

/// The minimum age, on the age clock, of a dead slot that the round hands to another callee. If only one thread frees
/// slots, and a slot dies while at least this many others are dead, another callee gets the slot only after this many
/// other dead slots have been handed out.
pub(crate) const QUARANTINE: u32 = if cfg!(loom) { 1 } else { 63 };

const BATCH: usize = if cfg!(loom) { 2 } else { 16 };

#[repr(C, align(32))]
pub(crate) struct Sweep {
    /// The age clock, which wraps around. Each free reads the clock and the word of `full`, which is in the same
    /// cache line.
    age_clock: AtomicU32,
    pub(super) full: Full,
    /// The index at which the round continues.
    cursor: AtomicU32,
    /// Indices of the longest-dead slots, in order of death from the last to the first.
    batch: [AtomicU32; BATCH],
    /// The number of slots in the batch that have not been tried yet.
    left: AtomicU32,
    /// The record of the most recent death among the slots of the batch. The number of this death is in
    /// `youngest_number`. A slot with a later death has been reused since the batch was made.
    youngest: AtomicUsize,
    youngest_number: AtomicU32,
}

impl Sweep {
    const_fn! {
        pub(crate) fn new() -> Self {
            Sweep {
                age_clock: AtomicU32::new(0),
                full: Full::new(),
                cursor: AtomicU32::new(0),
                batch: atomics![AtomicU32::new(0); BATCH],
                left: AtomicU32::new(0),
                youngest: AtomicUsize::new(0),
                youngest_number: AtomicU32::new(0),
            }
        }
    }

    /// Returns the time on the age clock, which wraps around.
    #[inline(always)]
    pub(crate) fn age_clock(&self) -> u32 {
        self.age_clock.load(Relaxed)
    }

    /// Counts a dead slot that the sweep handed out.
    pub(crate) fn advance_age_clock(&self) {
        self.age_clock.fetch_add(1, Relaxed);
    }

    /// Returns the index at which the round continues.
    pub(crate) fn cursor(&self) -> u32 {
        self.cursor.load(Relaxed)
    }

    /// Makes the round continue after `index`.
    pub(crate) fn pass(&self, index: u32) {
        self.cursor.store(index + 1, Relaxed);
    }

    /// Returns the next slot of the batch, or `None` if the batch is used up.
    pub(crate) fn next_of_batch(&self) -> Option<u32> {
        let mut left = self.left.load(Relaxed);
        loop {
            let place = self.batch.get((left as usize).checked_sub(1)?)?;
            match self.left.compare_exchange(left, left - 1, Relaxed, Relaxed) {
                Ok(_) => return Some(place.load(Relaxed)),
                Err(now) => left = now, // another thread took a slot of the batch
            }
        }
    }

    /// Returns whether a slot of the batch with this death has been dead since the batch was made.
    pub(crate) fn still_of_batch(&self, death: Death) -> bool {
        let record = Record(self.youngest.load(Relaxed));
        let youngest = Death { record, number: self.youngest_number.load(Relaxed) };
        !youngest.before(death, self.age_clock())
    }

    /// Replaces the batch.
    pub(crate) fn keep(&self, batch: &Batch) {
        let in_order = batch.oldest.iter().take(batch.count);
        let Some(&(_, youngest)) = in_order.clone().next_back() else { return };
        for (place, &(index, _)) in self.batch.iter().zip(in_order.rev()) {
            place.store(index, Relaxed);
        }
        self.youngest.store(youngest.record.0, Relaxed);
        self.youngest_number.store(youngest.number, Relaxed);
        self.left.store(batch.count as u32, Relaxed);
    }
}

/// A batch that is being collected.
pub(crate) struct Batch {
    now: u32,
    /// The longest-dead slots so far, in order of death. Only the first `count` elements are valid.
    oldest: [(u32, Death); BATCH],
    count: usize,
}

impl Batch {
    /// Returns an empty batch. `now` is the time on the age clock.
    pub(crate) fn new(now: u32) -> Self {
        Batch { now, oldest: [(0, Death { record: Record(0), number: 0 }); BATCH], count: 0 }
    }

    /// Adds a dead slot. If the batch is full, the youngest slot is dropped.
    pub(crate) fn add(&mut self, index: u32, death: Death) {
        let mut oldest = (index, death);
        for place in self.oldest.iter_mut().take(self.count) {
            if oldest.1.before(place.1, self.now) {
                core::mem::swap(place, &mut oldest);
            }
        }
        if let Some(place) = self.oldest.get_mut(self.count) {
            *place = oldest;
            self.count += 1;
        }
    }
}

impl<T: Table> Pool<T> {
    pub(super) fn claim_by_sweep(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        let claim = self
            .of_batch(owner)
            .or_else(|| self.long_dead(owner))
            .or_else(|| {
                self.fill_batch();
                self.of_batch(owner)
            })
            .or_else(|| self.any_dead(owner))?;
        self.hand_over(claim, callee);
        Some(claim)
    }

    /// Gives a claimed slot to `callee`, which is normally not the slot's last callee.
    pub(crate) fn hand_over(&self, claim: Claim, callee: *const ()) {
        let slot = self.slots.slot(claim.index);
        slot.callee.store(callee.cast_mut(), Release); // as in `Slot::arm`
        slot.leave_top(); // the list is that of the former callee
        self.sweep.advance_age_clock();
        self.sweep.pass(claim.index);
    }

    /// Claims a slot that is dead at this moment, if `is_wanted` accepts its death.
    ///
    /// Acquire: the former owner's stores come before the new owner's.
    #[inline(always)]
    fn claim_if(&self, index: u32, owner: Owner, is_wanted: impl Fn(Death) -> bool) -> Option<Claim> {
        let slot = self.slots.opened(index)?;
        let death = slot.state.load(Acquire);
        if death & LIVE != 0 || !is_wanted(slot.death(death)) {
            return None;
        }
        slot.claim(death, owner).map(|generation| Claim { index, generation })
    }

    /// Claims a slot that is dead at this moment, if its age is at least `age` at the time `now` on the age clock.
    #[inline(never)]
    pub(crate) fn claim_dead(&self, index: u32, owner: Owner, now: u32, age: u32) -> Option<Claim> {
        self.claim_if(index, owner, |death| death.age(now) >= age)
    }

    #[inline(never)]
    fn of_batch(&self, owner: Owner) -> Option<Claim> {
        while let Some(index) = self.sweep.next_of_batch() {
            let claim = self.claim_if(index, owner, |death| self.sweep.still_of_batch(death));
            if claim.is_some() {
                return claim;
            }
        }
        None
    }

    fn long_dead(&self, owner: Owner) -> Option<Claim> {
        let now = self.sweep.age_clock();
        let mut claim = None;
        self.for_each_dead(&mut |index, _| {
            claim = self.claim_dead(index, owner, now, QUARANTINE);
            claim.is_none()
        });
        claim
    }

    fn fill_batch(&self) {
        let mut batch = Batch::new(self.sweep.age_clock());
        self.for_each_dead(&mut |index, slot| {
            batch.add(index, slot.death(slot.state.load(Relaxed)));
            true
        });
        self.sweep.keep(&batch);
    }

    /// Claims any dead slot, even one that is lost from every hint.
    fn any_dead(&self, owner: Owner) -> Option<Claim> {
        let mut claim = None;
        self.slots.first_index(&mut |index| {
            claim = self.claim_dead(index, owner, 0, 0);
            claim.is_some()
        });
        claim
    }

    /// Visits the slots marked as dead that are still dead, starting at the cursor and wrapping around, until `go_on`
    /// returns false. Removes the mark of a live slot.
    #[inline(never)]
    fn for_each_dead(&self, go_on: &mut dyn FnMut(u32, &Slot) -> bool) {
        // The whole segment of the cursor and the segments after it are visited first, then the segments before it.
        let cursor = self.sweep.cursor();
        for after in [true, false] {
            for bits in self.slots.all() {
                if (cursor < bits.first + bits.len()) == after && !self.visit_dead(&bits, cursor, go_on) {
                    return;
                }
            }
        }
    }

    /// Like [`for_each_dead`](Pool::for_each_dead), but for a single segment. Returns false if `go_on` returned false.
    fn visit_dead(&self, bits: &SegmentBits, cursor: u32, go_on: &mut dyn FnMut(u32, &Slot) -> bool) -> bool {
        let start = cursor.saturating_sub(bits.first);
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
                    return true; // its next release marks it again
                }
                bits.dead.insert(number, Release); // as in `end_life`
            }
            go_on(index, slot)
        })
    }
}
