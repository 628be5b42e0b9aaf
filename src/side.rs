//! Three words for each slot beside the table, which belong to the C library: what an adapter
//! loads, or whom a compiled trampoline belongs to.

use crate::sync::{AtomicPtr, const_fn};

/// The words of a slot: only its owner uses them. They hold anything.
#[repr(C)]
pub struct Side {
    /// The first word.
    pub first: AtomicPtr<()>,
    /// The second word.
    pub second: AtomicPtr<()>,
    /// The third word.
    pub third: AtomicPtr<()>,
}

impl Side {
    const_fn! {
        fn new() -> Self {
            let null = core::ptr::null_mut();
            Side { first: AtomicPtr::new(null), second: AtomicPtr::new(null), third: AtomicPtr::new(null) }
        }
    }
}

/// Pages of zeroes until used.
static SIDES: [Side; crate::table::SLOTS] = [const { Side::new() }; crate::table::SLOTS];

/// The side of a slot that has been handed out.
#[inline(always)]
pub fn of(slot: usize) -> &'static Side {
    match SIDES.get(slot) {
        Some(side) => side,
        None => of_area(slot),
    }
}

#[cold]
#[inline(never)]
fn of_area(slot: usize) -> &'static Side {
    #[cfg(growing)]
    if let Some((land, number)) = crate::POOL.slots().land(slot as u32) {
        return land.side(number);
    }
    debug_assert!(false, "slot {slot} was never handed out");
    &SIDES[0]
}
