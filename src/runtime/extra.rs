//! Where the words of a slot are that the C library uses ([`SlotExtra`]): what an adapter loads, or whom a compiled trampoline
//! belongs to.

use crate::message::{self, Message};
use crate::pool::SLOTS;
pub use crate::pool::SlotExtra;

/// Pages of zeroes until used.
static EXTRAS: [SlotExtra; SLOTS] = [const { SlotExtra::new() }; SLOTS];

/// The extra words of a slot that has been handed out. Of any other number there are none: the process ends.
#[inline(always)]
pub fn of(slot: usize) -> &'static SlotExtra {
    match EXTRAS.get(slot) {
        Some(extra) => extra,
        None => of_segment(slot),
    }
}

#[cold]
#[inline(never)]
fn of_segment(slot: usize) -> &'static SlotExtra {
    #[cfg(growing)]
    if let Some((region, number)) = crate::trampoline::global::POOL.slots().region(slot as u32) {
        return region.extra(number);
    }
    let _ = slot;
    if !Message::IS_READ {
        message::abort()
    }
    message::fatal("BUG: the words of a slot that was never handed out")
}
