//! The table seen from Rust: index <-> stub address <-> slot.

use crate::slot::Slot;

/// How many stubs and slots there are. loom's models have a few.
pub(crate) const SLOTS: usize = if cfg!(loom) { 4 } else { number(env!("STATICTRAMP_SLOTS")) };

// A dead slot keeps its index.
static_assertions::const_assert!(SLOTS <= 1 << crate::slot::INDEX_BITS);

/// Why an address is not that of a stub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotAStub {
    /// Outside the table.
    Foreign,
    /// Inside the table, but not where a stub begins.
    Interior,
}

/// Where the slots are and which address calls through each.
pub(crate) trait Table {
    /// The slot of an index below [`SLOTS`].
    fn slot(&self, index: u32) -> &Slot;
    /// What a trampoline's user calls.
    fn stub(&self, index: u32) -> *const ();
    /// The index of a stub's address.
    fn index_of(&self, address: usize) -> Result<u32, NotAStub>;
    /// What a freed trampoline runs.
    fn dead_procedure(&self) -> *const ();
}

const fn number(digits: &str) -> usize {
    match usize::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("build.rs passes a number"),
    }
}

#[cfg(not(loom))]
pub(crate) use of_the_linker::StaticTable;

#[cfg(not(loom))]
mod of_the_linker {
    use super::{NotAStub, SLOTS, Table};
    use crate::arch::{STUB_STRIDE, address_of, dead_procedure};
    use crate::slot::Slot;

    #[cfg(rust_asm)]
    core::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/table.S")), options(raw, att_syntax));

    /// The table that the linker placed: stubs in `.text`, slots in `.tramp_data`.
    pub(crate) struct StaticTable;

    impl StaticTable {
        #[inline(always)]
        fn stubs(&self) -> *const u8 {
            address_of!("statictramp_0_1_stubs")
        }
    }

    #[cold]
    fn not_a_stub(offset: usize) -> NotAStub {
        if offset < SLOTS * STUB_STRIDE { NotAStub::Interior } else { NotAStub::Foreign }
    }

    impl Table for StaticTable {
        #[inline(always)]
        fn slot(&self, index: u32) -> &Slot {
            debug_assert!((index as usize) < SLOTS);
            let slots: *const Slot = address_of!("statictramp_0_1_slots").cast();
            // SAFETY: the assembler reserved SLOTS slots there (a test reads the object),
            // every index comes from this pool and is below SLOTS, and a slot is made of
            // atomics, for which memory of any content is valid.
            unsafe { &*slots.add(index as usize) }
        }

        #[inline(always)]
        fn stub(&self, index: u32) -> *const () {
            self.stubs().wrapping_add(index as usize * STUB_STRIDE).cast()
        }

        #[inline(always)]
        fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
            let offset = address.wrapping_sub(self.stubs().addr());
            if offset >= SLOTS * STUB_STRIDE || !offset.is_multiple_of(STUB_STRIDE) {
                return Err(not_a_stub(offset));
            }
            Ok((offset / STUB_STRIDE) as u32)
        }

        #[inline(always)]
        fn dead_procedure(&self) -> *const () {
            dead_procedure as *const ()
        }
    }
}

/// A table without stubs, for loom's models and for tests that need one of their own.
/// An address is `BASE` plus the index and cannot be called.
#[cfg(any(loom, test))]
pub(crate) struct OwnTable {
    slots: [Slot; SLOTS],
}

#[cfg(any(loom, test))]
impl OwnTable {
    const BASE: usize = 0x1000;
    pub(crate) const DEAD: usize = 0xdead;

    /// Slots that hold what a slot nobody has opened may hold: anything.
    pub(crate) fn new() -> Self {
        use crate::sync::{AtomicPtr, AtomicU32};
        let junk = || AtomicPtr::new(core::ptr::without_provenance_mut(0x5a5a));
        Self {
            slots: core::array::from_fn(|_| Slot {
                chain: junk(),
                callee: junk(),
                claim: AtomicU32::new(0x5a5b),
                below: AtomicU32::new(0x5a5a),
                procedure: junk(),
            }),
        }
    }
}

#[cfg(any(loom, test))]
impl Table for OwnTable {
    fn slot(&self, index: u32) -> &Slot {
        &self.slots[index as usize]
    }

    fn stub(&self, index: u32) -> *const () {
        core::ptr::without_provenance(Self::BASE + index as usize)
    }

    fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        match address.wrapping_sub(Self::BASE) {
            offset if offset < SLOTS => Ok(offset as u32),
            _ => Err(NotAStub::Foreign),
        }
    }

    fn dead_procedure(&self) -> *const () {
        core::ptr::without_provenance(Self::DEAD)
    }
}
