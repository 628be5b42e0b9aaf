//! The number of slots and of live trampolines, and the layout of the table.

use super::global::{BOOKKEEPING, POOL};
use crate::pool::{SLOTS, Slot, SlotPool, SlotState};

/// Returns the number of slots that exist now, in the static table and in segments added by growth.
pub fn capacity() -> usize {
    POOL.capacity()
}

/// Returns the number of live trampolines, counted one by one. The number is exact if no trampoline is made or freed
/// concurrently.
pub fn live() -> usize {
    POOL.live().count()
}

/// A live trampoline found by [`live_trampolines`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LiveTrampoline {
    /// The address to call.
    pub address: *const (),
    /// The slot's number.
    pub slot: usize,
    /// The callee for which the trampoline was made. For a closure, this is its adapter.
    pub callee: *const (),
    /// The chain that the stub passes.
    pub chain: *mut (),
    /// The address that the stub jumps to: the callee, or an adapter that calls it.
    pub entry: *const (),
}

/// Returns all live trampolines, including those made by other code, in slot order. A trampoline that is made or freed
/// concurrently may or may not be included. The fields of each item are consistent, unless the trampoline is being
/// changed concurrently ([`retarget`](crate::Trampoline::retarget)).
pub fn live_trampolines() -> impl Iterator<Item = LiveTrampoline> {
    POOL.indices().filter_map(|index| match POOL.state_of(index) {
        SlotState::Live { claim, callee, entry, chain } => {
            let (address, slot) = (POOL.stub(claim), index as usize);
            Some(LiveTrampoline { address, slot, callee, chain, entry })
        }
        _ => None,
    })
}

/// The number of slots in each state, as returned by [`statistics`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of slots in the static table and in segments added by growth.
    pub capacity: usize,
    /// The number of times that the table has grown.
    pub grown: usize,
    /// The number of slots with a live trampoline.
    pub live: usize,
    /// The number of slots that have been used and are now free.
    pub dead: usize,
    /// The number of slots that have never been used. Their memory has not been touched.
    pub unused: usize,
}

/// Counts the slots in each state, one by one. The numbers are consistent with each other if no trampoline is made or
/// freed concurrently.
pub fn statistics() -> Statistics {
    let live = live();
    let used = POOL.indices().filter(|&index| POOL.is_open(index)).count();
    let capacity = capacity(); // read last, so that it includes all slots counted above, even if the table has grown since then
    Statistics {
        capacity,
        grown: POOL.added(),
        live,
        dead: used.saturating_sub(live),
        unused: capacity - used,
    }
}

/// The layout of the table in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Layout {
    /// The number of stubs, and of slots, in the static table.
    pub slots: usize,
    /// The distance in bytes from one stub to the next, in code.
    pub stub_stride: usize,
    /// The distance in bytes from one slot to the next, in writable data.
    pub slot_stride: usize,
    /// Size in bytes of the static table's bookkeeping: the bitmaps or, without an operating system or without stubs,
    /// the state and callee of each slot. It excludes stubs, slots, thread-local data and the hints that threads share
    /// (258 KiB).
    pub bookkeeping: usize,
    /// Whether each stub starts with a landing pad: `endbr64`, `endbr32` or, on AArch64, `bti c`
    /// (`STATICTRAMP_LANDING_PADS`). Always `false` on other processors and on Windows.
    pub landing_pads: bool,
    /// Whether immediate reuse of a freed slot is disabled, even for its own callee (`STATICTRAMP_REUSE=strict`).
    pub strict_reuse: bool,
    /// Whether the code pointers in slots are signed (`STATICTRAMP_SIGN=1`, on AArch64 Linux).
    pub signed: bool,
}

/// Returns the layout of this build's table.
#[must_use]
pub const fn layout() -> Layout {
    Layout {
        slots: SLOTS,
        stub_stride: crate::arch::STUB_STRIDE,
        slot_stride: size_of::<Slot>(),
        bookkeeping: BOOKKEEPING,
        landing_pads: cfg!(landing_pads),
        strict_reuse: cfg!(strict_reuse),
        signed: cfg!(signed),
    }
}
