//! The table of a target without stubs: slots in ordinary memory and, for each slot, the address of the function that
//! uses it.
//!
//! The function depends on the closure's pointer type. Each type has one function per slot (`src/closure/numbered.rs`),
//! and binding a closure selects one.

use super::{Dead, StaticTable};
use crate::pool::SLOT_STRIDE;
use crate::pool::{NotAStub, SLOTS, Slot, Stubs};
use crate::sync::{Acquire, AtomicPtr, Relaxed, atomics};
use core::ptr::null_mut;

static_assertions::const_assert_eq!(size_of::<Slot>(), SLOT_STRIDE);

static TABLE: [Slot; SLOTS] =
    [const { Slot { chain: AtomicPtr::new(null_mut()), entry: AtomicPtr::new(null_mut()) } }; SLOTS];

/// The function that was last handed out for each slot, initially null.
static FUNCTIONS: [AtomicPtr<()>; SLOTS] = atomics![AtomicPtr::new(null_mut()); SLOTS];

/// Records the function that uses a slot. The caller must have claimed the slot.
///
/// Relaxed is enough: any code that calls the function got its address from the caller of `set_function`, and that
/// transfer orders the accesses.
pub(crate) fn set_function(slot: usize, function: *const ()) {
    FUNCTIONS[slot].store(function.cast_mut(), Relaxed);
}

/// Returns the words that a stub would read: the entry and the chain.
///
/// Acquire: freeing stores the dead entry before the free record, so a thread that sees the record also sees that
/// entry.
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

    /// Finds the slot for which the function at `address` was last handed out. A slot's previous function is no longer
    /// recognised once the slot is used for another pointer type.
    fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        let is_it = |function: &AtomicPtr<()>| address != 0 && function.load(Relaxed).addr() == address;
        FUNCTIONS.iter().position(is_it).map(|index| index as u32).ok_or(NotAStub::Foreign)
    }

    fn dead_procedure(&self) -> *const () {
        D::procedure()
    }
}
