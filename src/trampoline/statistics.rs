//! How many trampolines there can be and are.

use super::global::{BOOKKEEPING, POOL};
use crate::pool::{SLOTS, Slot, SlotPool, SlotState};

/// How many trampolines can live at once, now: the static table and what it has grown by.
pub fn capacity() -> usize {
    POOL.capacity()
}

/// How many trampolines live now, counted one by one: exact if nobody makes or frees any
/// meanwhile.
pub fn live() -> usize {
    POOL.live().count()
}

/// A live trampoline as [`live_trampolines`] met it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Live {
    /// The address to call.
    pub address: *const (),
    /// The number of its slot.
    pub slot: usize,
    /// What was given as callee.
    pub callee: *const (),
    /// What was given as chain.
    pub chain: *mut (),
    /// What the stub jumps to: the callee, or an adapter on the way to it.
    pub entry: *const (),
}

/// The trampolines that live, in order of their slots, whoever made them. Each is whole as it
/// was at some moment; one that is made or freed meanwhile may be met or not.
pub fn live_trampolines() -> impl Iterator<Item = Live> {
    POOL.indices().filter_map(|index| match POOL.look(index) {
        SlotState::Live { claim, callee, entry, chain } => {
            let (address, slot) = (POOL.stub(claim), index as usize);
            Some(Live { address, slot, callee, chain, entry })
        }
        _ => None,
    })
}

/// How the slots are used: see [`statistics`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// Slots there are: the static table and what it has grown by.
    pub capacity: usize,
    /// How often the table has grown.
    pub grown: usize,
    /// Slots with a live trampoline.
    pub live: usize,
    /// Slots that have been used and are free.
    pub dead: usize,
    /// Slots that were never used: their memory was not touched.
    pub unused: usize,
}

/// Counts the slots one by one: the numbers belong together if nobody makes or frees any
/// meanwhile.
pub fn statistics() -> Statistics {
    let live = live();
    let used = POOL.indices().filter(|&index| POOL.is_open(index)).count();
    let capacity = capacity(); // last: another thread may make the table grow, and these are all of those that were seen
    Statistics {
        capacity,
        grown: POOL.added(),
        live,
        dead: used.saturating_sub(live),
        unused: capacity - used,
    }
}

/// How the table is laid out in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Number of stubs and of slots in the static table.
    pub slots: usize,
    /// Bytes from one stub to the next, in code.
    pub stub_stride: usize,
    /// Bytes from one slot to the next, in writable data.
    pub slot_stride: usize,
    /// Bytes of everything else: the bitmaps, the free lists, the sweep; without an operating system, for each slot its
    /// state and its callee.
    pub bookkeeping: usize,
    /// Whether each stub starts with a landing pad (`endbr64`).
    pub landing_pads: bool,
    /// Whether freed slots wait for the sweep even if their own callee asks.
    pub strict_reuse: bool,
}

/// How the table of this build is laid out.
pub const fn layout() -> Layout {
    Layout {
        slots: SLOTS,
        stub_stride: crate::arch::STUB_STRIDE,
        slot_stride: size_of::<Slot>(),
        bookkeeping: BOOKKEEPING,
        landing_pads: cfg!(landing_pads),
        strict_reuse: cfg!(strict_reuse),
    }
}
