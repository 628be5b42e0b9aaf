//! The table of a target without stubs: slots in ordinary memory, and beside each the function that leads there.
//!
//! Which function that is depends on the type of the pointer: for each type there is one function for each slot
//! (`src/closure/numbered.rs`), so the bind of a closure chooses it.

use super::{Dead, StaticTable};
use crate::pool::stubs::SLOT_STRIDE;
use crate::pool::{NotAStub, SLOTS, Slot, Stubs};
use crate::sync::{Acquire, AtomicPtr, Relaxed, atomics};
use core::ptr::null_mut;

static_assertions::const_assert_eq!(size_of::<Slot>(), SLOT_STRIDE);

static TABLE: [Slot; SLOTS] =
    [const { Slot { chain: AtomicPtr::new(null_mut()), entry: AtomicPtr::new(null_mut()) } }; SLOTS];

/// What was handed out last for each slot; null before that.
static FUNCTIONS: [AtomicPtr<()>; SLOTS] = atomics![AtomicPtr::new(null_mut()); SLOTS];

/// Makes a function the one that leads to a slot, which the caller has claimed.
///
/// Relaxed: whoever calls it got it from the caller.
pub(crate) fn lead(slot: usize, function: *const ()) {
    FUNCTIONS[slot].store(function.cast_mut(), Relaxed);
}

/// What a stub reads: the entry and the chain.
///
/// Acquire: a freed slot gets the dead entry before the record of its death, so whoever sees the record sees that entry.
#[inline(always)]
pub(crate) fn read(slot: usize) -> (*const (), *const ()) {
    let slot = &TABLE[slot];
    let chain = slot.chain.load(Acquire);
    (slot.entry.load(Relaxed), chain)
}

impl<D: Dead> Stubs for StaticTable<D> {
    type Slot = Slot;

    fn slot(&self, index: u32) -> &Slot {
        &TABLE[index as usize]
    }

    fn stub(&self, index: u32) -> *const () {
        FUNCTIONS[index as usize].load(Relaxed)
    }

    /// Of a stale function whose slot serves another type by now it is not known any more that it was one of ours.
    fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        let is_it = |function: &AtomicPtr<()>| address != 0 && function.load(Relaxed).addr() == address;
        FUNCTIONS.iter().position(is_it).map(|index| index as u32).ok_or(NotAStub::Foreign)
    }

    fn dead_procedure(&self) -> *const () {
        D::procedure()
    }
}
