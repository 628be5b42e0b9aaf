//! Which freed slot to take again first: advice, kept apart for each thread.
//!
//! A freed slot is *warm*: it still serves its procedure, and only that procedure may
//! have it back at once. Each thread has a line of memory, found by a hash of its
//! identity, with a list of warm slots for each of the last few procedures it freed:
//!
//! ```text
//!   line of a thread: owner, deaths, heads
//!                                     |-- procedure f: top -> slot 7 -> slot 3 -> slot 9
//!                                     '-- procedure g: top -> slot 64
//! ```
//!
//! The top of a list may be live (it was taken and is not back yet); what lies below is
//! warm. So a host that makes and frees one trampoline at a time writes nothing here, and
//! a deep recursion goes down and up its list one step for each slot.
//!
//! All of this may be wrong: two threads may share a line, a signal handler may come
//! between two stores, a sweep may have given a listed slot to another procedure. A slot
//! is owned by its claim word alone (`src/slot.rs`); a wrong list costs only time, and a
//! slot lost from every list is found by the sweep. Nothing is given back at thread exit.

use crate::arch;
use crate::areas::Areas;
use crate::claim::{Kind, LIVE, Life};
use crate::slot::{DEATH, Slot, death_of};
use crate::sync::{Acquire, AtomicU32, AtomicUsize, Relaxed, Release, atomics, const_fn};
use crate::table::{SLOTS, Table};

/// One line for 128 slots keeps the whole pool within a byte for each slot.
const LINES: usize = if SLOTS < 256 { 1 } else { 1 << (SLOTS / 128).ilog2() };
/// What fits a line of 64 bytes.
const HEADS: usize = if cfg!(loom) { 1 } else { 6 };
/// How many lines a thread looks at for one of its own.
const PROBES: usize = if LINES < 4 { LINES } else { 4 };

pub(crate) struct Warm {
    lines: [Line; LINES],
}

/// On a cache line of its own, so that threads do not disturb each other.
#[repr(C, align(64))]
struct Line {
    /// Identity of the thread that starts here; 0 if none does yet.
    owner: AtomicUsize,
    /// The number of the latest death here. Two threads that share the line, or a handler
    /// that comes between load and store, may set it back; what counts is that each death of
    /// a slot has a later number than the one before, whatever stands here.
    deaths: AtomicU32,
    heads: [Head; HEADS],
}

/// A list of warm slots, empty while `tag` is 0.
struct Head {
    /// Stands for the procedure: enough to choose by, the slot decides.
    tag: AtomicU32,
    /// The top slot's index. Stored before the tag, so whoever sees a tag may use it. Each
    /// store is a Release, after the slot was opened: whoever reads it by an Acquire sees the
    /// slot open, and its area, whatever list the tag has promised.
    top: AtomicU32,
}

/// Low half of the address; odd, so never 0.
#[inline(always)]
fn tag(procedure: *const ()) -> u32 {
    procedure.addr() as u32 | 1
}

impl Head {
    const_fn! { fn new() -> Self { Head { tag: AtomicU32::new(0), top: AtomicU32::new(0) } } }
}

impl Line {
    const_fn! {
        fn new() -> Self {
            Line { owner: AtomicUsize::new(0), deaths: AtomicU32::new(0), heads: atomics![Head::new(); HEADS] }
        }
    }

    #[inline(always)]
    fn count_death(&self, life: u32) -> u32 {
        let death = death_of(life, self.deaths.load(Relaxed));
        self.deaths.store(death, Relaxed);
        death
    }

    /// Acquire: whoever stored the tag had put a slot on top before.
    #[inline(always)]
    fn head(&self, tag: u32) -> Option<&Head> {
        self.heads.iter().find(|head| head.tag.load(Acquire) == tag)
    }

    /// A list of one slot, for a procedure that has none: an empty list, else one that
    /// gives way.
    ///
    /// Release on the top, too: another thread may still see the old tag, and the new top.
    #[cold]
    fn new_head(&self, tag: u32, index: u32, slot: &Slot, turn: u32) {
        let empty = self.heads.iter().find(|head| head.tag.load(Relaxed) == 0);
        let head = empty.unwrap_or(&self.heads[turn as usize % HEADS]);
        slot.below.store(index, Relaxed);
        head.top.store(index, Release);
        head.tag.store(tag, Release);
    }
}

impl Warm {
    const_fn! { pub(crate) fn new() -> Self { Warm { lines: atomics![Line::new(); LINES] } } }

    /// The line of this thread.
    fn line(&self) -> &Line {
        self.own_line().unwrap_or_else(|| self.other_line())
    }

    /// This thread's identity and the line it looks at first.
    #[inline(always)]
    fn home(&self) -> (usize, usize) {
        let thread = arch::thread();
        // Fibonacci hashing: thread control blocks lie at regular distances.
        let hash = (thread as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        (thread, hash as usize % LINES)
    }

    /// A line near home that is this thread's or nobody's; else home, shared with the
    /// thread that has it.
    #[cold]
    fn other_line(&self) -> &Line {
        let (thread, home) = self.home();
        for step in 0..PROBES {
            let line = &self.lines[(home + step) % LINES];
            let owner = line.owner.load(Relaxed);
            if owner == thread {
                return line;
            }
            if owner == 0 && line.owner.compare_exchange(0, thread, Relaxed, Relaxed).is_ok() {
                return line;
            }
        }
        &self.lines[home]
    }

    /// The word of a bitmap in which this thread starts to look: lines are spread over it.
    pub(crate) fn start(&self, words: usize) -> usize {
        let line = core::ptr::from_ref(self.line()).addr();
        let number = (line - self.lines.as_ptr().addr()) / size_of::<Line>();
        number * words / LINES
    }

    /// This thread's line, if it has settled on the one it looks at first.
    #[inline(always)]
    fn own_line(&self) -> Option<&Line> {
        let (thread, home) = self.home();
        let line = &self.lines[home];
        (line.owner.load(Relaxed) == thread).then_some(line)
    }

    /// The usual case of [`take`](Warm::take), in which nothing here changes: the slot on
    /// top is free.
    #[inline(always)]
    pub(crate) fn take_top<T: Table>(
        &self,
        slots: &Areas<T>,
        procedure: *const (),
        kind: Kind,
    ) -> Option<(u32, Life)> {
        let top = self.own_line()?.head(tag(procedure))?.top.load(Acquire);
        slots.listed(top)?.revive(procedure, kind).map(|life| (top, life))
    }

    /// The usual case of [`put`](Warm::put), in which only the count changes: the slot is
    /// on top already, or there are no lists. `None`, and nothing is done, if it is not.
    #[inline(always)]
    pub(crate) fn put_quickly(&self, index: u32, slot: &Slot, life: u32) -> Option<u32> {
        let line = self.own_line()?;
        if cfg!(strict_reuse) {
            return Some(line.count_death(life));
        }
        let head = line.head(tag(slot.procedure.load(Relaxed)))?;
        (head.top.load(Relaxed) == index).then(|| line.count_death(life))
    }

    /// Takes a slot that served `procedure` last: its index and the number of its life.
    ///
    /// Acquire on the top: whoever stored it knew that the slot was open. An index from
    /// below it promises nothing, so `opened` looks.
    pub(crate) fn take<T: Table>(
        &self,
        slots: &Areas<T>,
        procedure: *const (),
        kind: Kind,
    ) -> Option<(u32, Life)> {
        let head = self.line().head(tag(procedure))?;
        let top = head.top.load(Acquire);
        let slot = slots.listed(top)?;
        if let Some(life) = slot.revive(procedure, kind) {
            return Some((top, life));
        }
        // The top is in use, as it is in a recursion: the one below comes to the top.
        let below = slot.below.load(Relaxed);
        let life = slots.opened(below)?.revive(procedure, kind)?;
        head.top.store(below, Release);
        Some((below, life))
    }

    /// Puts a slot that is about to die on top of its procedure's list. Returns the number
    /// of its death.
    pub(crate) fn put<T: Table>(&self, slots: &Areas<T>, index: u32, slot: &Slot, life: u32) -> u32 {
        let line = self.line();
        let death = line.count_death(life);
        if cfg!(strict_reuse) {
            return death;
        }
        let tag = tag(slot.procedure.load(Relaxed));
        let Some(head) = line.head(tag) else {
            line.new_head(tag, index, slot, death / DEATH);
            return death;
        };
        let top = head.top.load(Acquire);
        if top != index {
            // A live top leaves the list; what was below it stays.
            let live = slots.listed(top).filter(|above| above.claim.load(Relaxed) & LIVE != 0);
            let below = live.map_or(top, |above| above.below.load(Relaxed));
            slot.below.store(if live.is_some() && below == top { index } else { below }, Relaxed);
            head.top.store(index, Release);
        }
        death
    }
}
