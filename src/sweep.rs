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

use crate::slot::{Death, Record};
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
    /// Indices of the longest dead slots, in order of death from the last to the first.
    batch: [AtomicU32; BATCH],
    /// How many of the batch have not been looked at.
    left: AtomicU32,
    /// Death of the youngest in the batch, record and number: who died later was alive in between.
    youngest: AtomicUsize,
    youngest_number: AtomicU32,
}

impl Sweep {
    const_fn! {
        pub(crate) fn new() -> Self {
            Sweep {
                handouts: AtomicU32::new(0),
                cursor: AtomicU32::new(0),
                batch: atomics![AtomicU32::new(0); BATCH],
                left: AtomicU32::new(0),
                youngest: AtomicUsize::new(0),
                youngest_number: AtomicU32::new(0),
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
    pub(crate) fn cursor(&self) -> u32 {
        self.cursor.load(Relaxed)
    }

    /// Going round goes on behind `index`.
    pub(crate) fn pass(&self, index: u32) {
        self.cursor.store(index + 1, Relaxed);
    }

    /// The next of the batch, `None` when it is used up.
    pub(crate) fn next_of_batch(&self) -> Option<u32> {
        let mut left = self.left.load(Relaxed);
        loop {
            let entry = self.batch.get((left as usize).checked_sub(1)?)?;
            match self.left.compare_exchange(left, left - 1, Relaxed, Relaxed) {
                Ok(_) => return Some(entry.load(Relaxed)),
                Err(now) => left = now, // somebody took one
            }
        }
    }

    /// Whether a slot of the batch with this death has been dead since the batch was made.
    pub(crate) fn still_of_batch(&self, death: Death) -> bool {
        let record = Record(self.youngest.load(Relaxed));
        let youngest = Death { record, number: self.youngest_number.load(Relaxed) };
        !youngest.before(death, self.handouts())
    }

    /// Takes a batch into use.
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

/// A batch in the making.
pub(crate) struct Batch {
    now: u32,
    /// The longest dead so far, in order of death: the first `count`.
    oldest: [(u32, Death); BATCH],
    count: usize,
}

impl Batch {
    /// An empty one, `now` being the number of handouts.
    pub(crate) fn new(now: u32) -> Self {
        Batch { now, oldest: [(0, Death { record: Record(0), number: 0 }); BATCH], count: 0 }
    }

    /// Another dead slot. A younger one gives way, at the end or in the middle.
    pub(crate) fn add(&mut self, index: u32, death: Death) {
        let mut entry = (index, death);
        for place in self.oldest.iter_mut().take(self.count) {
            if entry.1.before(place.1, self.now) {
                core::mem::swap(place, &mut entry);
            }
        }
        if let Some(place) = self.oldest.get_mut(self.count) {
            *place = entry;
            self.count += 1;
        }
    }
}
