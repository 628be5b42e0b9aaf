//! The static table that the linker placed: stubs in `.text`, slots in `.tramp_data`.

use super::{Dead, StaticTable};
use crate::arch::{CODE_BIT, STUB_STRIDE, address_of};
#[cfg(not(compact))]
use crate::pool::number_at;
use crate::pool::{NotAStub, SLOTS, Slot, Stubs};
use crate::pool::{SLOT_STRIDE, number_called};

// The stubs read the words at these offsets.
static_assertions::const_assert_eq!(size_of::<Slot>(), SLOT_STRIDE);
static_assertions::const_assert_eq!(core::mem::offset_of!(Slot, chain), 0);
static_assertions::const_assert_eq!(core::mem::offset_of!(Slot, entry), size_of::<usize>());

#[cfg(all(rust_asm, any(target_arch = "x86_64", target_arch = "x86")))]
core::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/table.S")), options(raw, att_syntax));
#[cfg(all(rust_asm, not(any(target_arch = "x86_64", target_arch = "x86"))))]
core::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/table.S")), options(raw));

/// Returns the address of the first stub.
#[inline(always)]
pub(crate) fn stubs() -> *const u8 {
    address_of!("stubs")
}

/// Returns the address of the first slot.
#[inline(always)]
pub(super) fn slots() -> *const Slot {
    let slots = address_of!("slots");
    // SAFETY: no object is at address 0. A pointer that cannot be null saves a check wherever a slot is optional.
    unsafe { core::hint::assert_unchecked(!slots.is_null()) };
    slots.cast()
}

impl<D: Dead> Stubs for StaticTable<D> {
    type Slot = Slot;

    #[inline(always)]
    fn slot(&self, index: u32) -> &Slot {
        debug_assert!((index as usize) < SLOTS);
        // SAFETY: the assembler reserved SLOTS slots at this address (a test checks the object file). Every index comes
        // from the pool that uses this table, and is below SLOTS. A slot consists of atomics, for which any contents
        // are valid.
        unsafe { &*slots().add(index as usize) }
    }

    #[inline(always)]
    fn stub(&self, index: u32) -> *const () {
        // The address is computed like a slot's address, so that both computations share one shift if stubs and slots
        // have the same stride.
        stubs().cast::<[u8; STUB_STRIDE]>().wrapping_add(index as usize).wrapping_byte_add(CODE_BIT).cast()
    }

    #[cfg(not(compact))]
    #[inline(always)]
    fn index_at(&self, address: usize) -> Option<u32> {
        number_at(address.wrapping_sub(stubs().addr() + CODE_BIT), SLOTS, STUB_STRIDE)
    }

    fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        number_called(address.wrapping_sub(stubs().addr()), SLOTS, STUB_STRIDE, CODE_BIT)
    }

    #[inline(always)]
    fn dead_procedure(&self) -> *const () {
        D::procedure()
    }
}

/// A table that does not grow.
#[cfg(not(any(compact, growing)))]
impl<D: Dead> crate::pool::hosted::Table for StaticTable<D> {}
