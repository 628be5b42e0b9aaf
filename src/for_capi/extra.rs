//! The extra words that libstatictramp keeps for each slot ([`SlotExtra`]): for a bound trampoline, data that an
//! adapter loads; for a trampoline made by compiled code, the identity of its owner.

use crate::message::{self, Message};
use crate::pool::SLOTS;
pub use crate::pool::SlotExtra;

/// The extra words of the static table's slots. Their pages are zeroed and occupy no memory until they are first
/// used.
#[cfg(not(compact))]
static EXTRAS: [SlotExtra; SLOTS] = [const { SlotExtra::new() }; SLOTS];

/// Returns the extra words of the static table. They are in the same section as its slots, so one MPU or PMP region
/// covers both. The words' initial contents are undefined.
#[cfg(compact)]
fn extras() -> &'static [SlotExtra; SLOTS] {
    let extras: *const [SlotExtra; SLOTS] = crate::arch::address_of!("extras").cast();
    // SAFETY: the assembler reserved this memory. It is at least word-aligned, and as large as SLOTS slots, that is,
    // SLOTS pairs of words. Only this function creates references to that memory, and a SlotExtra consists of atomics,
    // for which any contents are valid.
    unsafe { &*extras }
}

#[cfg(compact)]
static_assertions::const_assert_eq!(size_of::<SlotExtra>(), crate::pool::SLOT_STRIDE);

/// Returns the extra words of a slot that has been handed out. Aborts the process if the table has no slot with this
/// number.
#[inline(always)]
pub fn of(slot: usize) -> &'static SlotExtra {
    #[cfg(not(compact))]
    let extras = &EXTRAS;
    #[cfg(compact)]
    let extras = extras();
    match extras.get(slot) {
        Some(extra) => extra,
        None => of_segment(slot),
    }
}

/// Returns the extra words of a bound trampoline.
///
/// With signed slots, computes the address of the extra words from the trampoline's address. The slot's chain also
/// contains that address, but other code may have overwritten the chain, and signing a pointer for an address chosen by
/// other code would be unsafe.
///
/// # Safety
/// `trampoline` must be the address of a live bound trampoline, and `chain` must be the chain in its slot.
#[inline(always)]
pub unsafe fn of_bound(trampoline: *const (), chain: *mut ()) -> &'static SlotExtra {
    #[cfg(signed)]
    if let Some(slot) = crate::trampoline::slot_of(trampoline) {
        return of(slot);
    }
    let _ = trampoline;
    // SAFETY: the chain of a bound trampoline is the address of its slot's extra words, which remain valid.
    unsafe { &*chain.cast() }
}

#[cold]
#[inline(never)]
fn of_segment(slot: usize) -> &'static SlotExtra {
    #[cfg(growing)]
    if let Some(row) =
        u32::try_from(slot).ok().and_then(|slot| crate::trampoline::global::POOL.slots().in_row(slot))
    {
        return row.extra(slot as u32);
    }
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
