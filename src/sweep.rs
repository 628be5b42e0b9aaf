//! Which dead slot another procedure gets, when no unused slot is left.
//!
//! A stale pointer to a slot is diagnosed as long as the slot stays dead, so the slot that
//! has been dead longest goes first. That order is exact for what one thread frees. It is
//! found in three steps, each only when the one before has nothing:
//!
//! 1. the *batch*: the longest dead slots that the last third step found, in order;
//! 2. going round: a slot since whose death [`QUARANTINE`] others were handed out. With
//!    many dead slots the next one round nearly always is such a slot;
//! 3. all dead slots are compared and the oldest make a new batch.
//!
//! All this is advice, like `src/warm.rs`; the claim word decides. A slot that advice has
//! lost is found by [`Pool::any_dead`](crate::pool::Pool), so that no claim fails while a
//! slot is free.

use crate::slot::Death;
use crate::sync::{AtomicU32, AtomicUsize, Relaxed, atomics, const_fn};

/// Where this many slots or more are dead besides, a dead slot is handed to another
/// procedure only after this many others.
pub(crate) const QUARANTINE: u32 = if cfg!(loom) { 1 } else { 63 };

const BATCH: usize = if cfg!(loom) { 2 } else { 16 };

pub(crate) struct Sweep {
    /// How many slots sweeps have handed out; wraps.
    handouts: AtomicU32,
    /// Where going round goes on.
    cursor: AtomicU32,
    /// The longest dead slots, in order of death: index + 1, or 0.
    batch: [AtomicU32; BATCH],
    /// First place of the batch that has not been looked at.
    next: AtomicU32,
    /// Death of the youngest in the batch: who died later was alive in between.
    youngest: AtomicUsize,
}

impl Sweep {
    const_fn! {
        pub(crate) fn new() -> Self {
            Sweep {
                handouts: AtomicU32::new(0),
                cursor: AtomicU32::new(0),
                batch: atomics![AtomicU32::new(0); BATCH],
                next: AtomicU32::new(BATCH as u32),
                youngest: AtomicUsize::new(0),
            }
        }
    }

    /// How many slots sweeps have handed out; wraps.
    #[inline(always)]
    pub(crate) fn handouts(&self) -> u32 {
        self.handouts.load(Relaxed)
    }

    /// Counts a slot handed out.
    pub(crate) fn handed_out(&self) {
        self.handouts.fetch_add(1, Relaxed);
    }

    /// Where going round goes on.
    pub(crate) fn cursor(&self) -> usize {
        self.cursor.load(Relaxed) as usize
    }

    /// Going round goes on behind `index`.
    pub(crate) fn pass(&self, index: u32) {
        let next = (index as usize + 1) % crate::table::SLOTS;
        self.cursor.store(next as u32, Relaxed);
    }

    /// The next of the batch, `None` when it is used up.
    pub(crate) fn next_of_batch(&self) -> Option<u32> {
        if self.next.load(Relaxed) as usize >= BATCH {
            return None;
        }
        let place = self.next.fetch_add(1, Relaxed) as usize;
        self.batch.get(place)?.load(Relaxed).checked_sub(1)
    }

    /// Whether a slot of the batch with this death has been dead since the batch was made.
    pub(crate) fn still_of_batch(&self, death: Death) -> bool {
        !Death(self.youngest.load(Relaxed)).before(death, self.handouts())
    }

    /// Makes a batch of the longest dead.
    pub(crate) fn fill_batch(&self, dead: impl Iterator<Item = (u32, Death)>) {
        let now = self.handouts();
        let mut oldest = [(0, Death(0)); BATCH];
        let mut count = 0;
        for (index, death) in dead {
            let place = oldest[..count].partition_point(|&(_, other)| other.before(death, now));
            if place == BATCH {
                continue;
            }
            count = (count + 1).min(BATCH);
            oldest[place..count].rotate_right(1);
            oldest[place] = (index, death);
        }
        let Some(&(_, youngest)) = oldest[..count].last() else { return };
        for (place, entry) in self.batch.iter().enumerate() {
            entry.store(if place < count { oldest[place].0 + 1 } else { 0 }, Relaxed);
        }
        self.youngest.store(youngest.0, Relaxed);
        self.next.store(0, Relaxed);
    }
}
