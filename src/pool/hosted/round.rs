//! The rounds of the sweep: the order in which threads hand long-dead slots to other callees.
//!
//! Each block of threads (`heads.rs`) has a round. While only one thread sweeps, its round passes through all slots in
//! index order. If several threads swept in this way, each would take slots that other threads have just used, and that
//! are therefore in other processors' caches. A round that has detected another active round is therefore *contended*,
//! and stays in a *window*, an aligned group of [`WINDOW`] slots:
//!
//! - At the end of its window, the round moves to the next window only if the first slot there has been dead for so
//!   long that no thread seems to be using the window. Otherwise the round starts again at the beginning of its own
//!   window.
//! - The batch (`sweep.rs`) contains the slots of the window that have been dead longest. If the window contains at
//!   most [`QUARANTINE`] dead slots, slots after the window are compared as well, until more than [`QUARANTINE`] slots
//!   have been compared.
//!
//! After a slot is freed, at least [`QUARANTINE`] other slots are handed out or freed before a contended round takes
//! that slot, unless fewer slots are dead.
//!
//! All words here are hints. A thread may change these words while another thread that uses the same round reads them.

use super::slot::{FreeRecord, LastFree};
use crate::sync::{AtomicU32, AtomicUsize, Relaxed, atomics, const_fn};

/// How many other dead slots are handed out before another callee gets a freed slot, provided that only one thread
/// frees slots, and that at least `QUARANTINE` other slots were dead at the time of the free.
pub(crate) const QUARANTINE: u32 = if cfg!(loom) { 1 } else { 63 };

/// The number of slots in a batch.
const BATCH: usize = if cfg!(loom) { 2 } else { 16 };

/// The number of slots in a *group*. The age clock advances after each group. Two groups contain more than
/// [`QUARANTINE`] slots.
pub(super) const GROUP: u32 = if cfg!(loom) { 2 } else { QUARANTINE.div_ceil(2) };
/// The number of slots in a window, a power of two: four groups of a contended round.
pub(super) const WINDOW: u32 = if cfg!(loom) { 4 } else { 128 };
/// The number of groups whose start times are recorded (a power of two).
const RECORDED: usize = if cfg!(loom) { 4 } else { 8 };
/// How many times other rounds must advance the age clock before a round is considered contended.
const OTHERS: i32 = 8;

/// Returns the first index of the window that contains an index.
pub(super) fn window_of(index: u32) -> u32 {
    index - index % WINDOW
}

/// A round.
#[repr(C, align(64))]
pub(crate) struct Round {
    /// The index of the slot that was handed out last.
    pub(super) last: AtomicU32,
    /// The number of slots handed out. It wraps around.
    pub(super) handed_out: AtomicU32,
    /// The age-clock times at which the latest groups began. A group's number determines its element.
    begun: [AtomicU32; RECORDED],
    /// The number of times that this round has advanced the clock. It wraps around.
    pub(super) advanced: AtomicU32,
    /// The value of `handed_out` when dead slots were last marked again.
    marked: AtomicU32,
    /// 1 once other rounds have advanced the clock [`OTHERS`] times. Never reset.
    contended: AtomicU32,
    /// The number of slots in the batch that have not been tried.
    pub(super) left: AtomicU32,
    /// The record of the most recent free in the batch. That free's number is in `youngest_number`. A slot with a later
    /// free has been reused since the batch was made.
    youngest: AtomicUsize,
    youngest_number: AtomicU32,
    /// Indices of the longest-dead slots, the most recently freed one first.
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
    pub(super) fn next(&self) -> u32 {
        self.last.load(Relaxed) + 1
    }

    /// Returns the first index in this round's window.
    pub(super) fn window(&self) -> u32 {
        window_of(self.last.load(Relaxed))
    }

    /// Returns true at most once per `capacity` slots handed out.
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

    pub(super) fn begun(&self, group: u32) -> &AtomicU32 {
        &self.begun[group as usize % RECORDED]
    }

    /// Returns the minimum age at which a slot may be handed out; `now` is the current value of the age clock. A slot
    /// of that age was freed before this round handed out its two previous groups.
    pub(super) fn least_age(&self, now: u32) -> u32 {
        let begun = self.begun(self.group().wrapping_sub(2)).load(Relaxed);
        now.wrapping_sub(begun) + 1
    }

    /// Returns the next slot of the batch, or `None` if the batch is used up.
    pub(super) fn next_of_batch(&self) -> Option<u32> {
        let mut left = self.left.load(Relaxed);
        loop {
            let word = self.batch.get((left as usize).checked_sub(1)?)?;
            match self.left.compare_exchange(left, left - 1, Relaxed, Relaxed) {
                Ok(_) => return Some(word.load(Relaxed)),
                Err(now) => left = now, // another thread took a slot of the batch
            }
        }
    }

    /// Returns whether a slot in the batch that has this last free has been dead since the batch was made; `now` is the
    /// current value of the age clock.
    pub(super) fn still_of_batch(&self, last_free: LastFree, now: u32) -> bool {
        let record = FreeRecord(self.youngest.load(Relaxed));
        let youngest = LastFree { record, number: self.youngest_number.load(Relaxed) };
        !youngest.before(last_free, now)
    }

    /// Replaces the batch.
    pub(super) fn keep(&self, batch: &Batch) {
        let in_order = batch.oldest.iter().take(batch.count);
        let Some(youngest) = in_order.clone().next_back() else { return };
        for (word, dead) in self.batch.iter().zip(in_order.rev()) {
            word.store(dead.index, Relaxed);
        }
        self.youngest.store(youngest.record.0, Relaxed);
        self.youngest_number.store(youngest.number, Relaxed);
        self.left.store(batch.count as u32, Relaxed);
    }

    /// Returns whether other rounds are active; `now` is the current value of the age clock.
    #[inline(never)]
    pub(super) fn is_contended(&self, now: u32) -> bool {
        let by_others = now.wrapping_sub(self.advanced.load(Relaxed)) as i32;
        if by_others >= OTHERS {
            self.contended.store(1, Relaxed);
        }
        !cfg!(strict_reuse) && self.contended.load(Relaxed) != 0
    }
}

/// A batch that is being collected.
pub(crate) struct Batch {
    pub(super) now: u32,
    /// The longest-dead slots so far, in the order in which they were freed. Only the first `count` elements are valid.
    oldest: [Dead; BATCH],
    count: usize,
}

/// A dead slot and its last free. There is no padding, so an array of these structs takes only a few instructions to
/// initialise.
#[derive(Clone, Copy)]
struct Dead {
    record: FreeRecord,
    number: u32,
    index: u32,
}

impl Dead {
    fn last_free(self) -> LastFree {
        LastFree { record: self.record, number: self.number }
    }
}

impl Batch {
    /// Returns an empty batch. `now` is the current value of the age clock.
    pub(crate) fn new(now: u32) -> Self {
        Batch { now, oldest: [Dead { record: FreeRecord(0), number: 0, index: 0 }; BATCH], count: 0 }
    }

    /// Adds a dead slot. If the batch is full, the youngest slot is dropped.
    #[inline(never)]
    pub(crate) fn add(&mut self, index: u32, last_free: LastFree) {
        let mut oldest = Dead { record: last_free.record, number: last_free.number, index };
        for dead in self.oldest.iter_mut().take(self.count) {
            if oldest.last_free().before(dead.last_free(), self.now) {
                core::mem::swap(dead, &mut oldest);
            }
        }
        if let Some(next) = self.oldest.get_mut(self.count) {
            *next = oldest;
            self.count += 1;
        }
    }
}
