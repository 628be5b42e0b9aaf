//! The static table seen from Rust: index <-> stub address <-> slot.

#[cfg(compact)]
use crate::compact::Slot;
#[cfg(not(compact))]
use crate::slot::Slot;

/// Bytes from one slot to the next.
pub(crate) const SLOT_STRIDE: usize = size_of::<Slot>();

/// How many stubs and slots the static table has. loom's models have a few.
pub(crate) const SLOTS: usize = if cfg!(loom) { 4 } else { number(env!("STATICTRAMP_SLOTS")) };

// The stubs read the words at these places.
#[cfg(not(loom))]
static_assertions::const_assert_eq!(SLOT_STRIDE, number(env!("STATICTRAMP_SLOT_STRIDE")));
#[cfg(not(loom))]
static_assertions::const_assert_eq!(core::mem::offset_of!(Slot, chain), 0);
#[cfg(not(loom))]
static_assertions::const_assert_eq!(core::mem::offset_of!(Slot, callee), size_of::<usize>());

/// Why an address is not that of a stub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotAStub {
    /// Outside the table.
    Foreign,
    /// Inside the table, but not where a stub begins.
    Interior,
}

/// Where the slots are and which address calls through each.
pub(crate) trait Stubs {
    /// What a stub reads its words from.
    type Slot;
    /// The slot of an index below [`SLOTS`].
    fn slot(&self, index: u32) -> &Self::Slot;
    /// What a trampoline's user calls.
    fn stub(&self, index: u32) -> *const ();
    /// The index of a stub's address; `None` for any other.
    #[cfg(not(compact))]
    fn index_at(&self, address: usize) -> Option<u32>;
    /// The same, and what is wrong with another.
    fn index_of(&self, address: usize) -> Result<u32, NotAStub>;
    /// What a freed trampoline runs.
    fn dead_procedure(&self) -> *const ();
}

/// The same where the table may grow.
#[cfg(not(compact))]
pub(crate) trait Table: Stubs<Slot = crate::slot::Slot> {
    /// Where more stubs and slots lie.
    #[cfg(growing)]
    type Land: crate::areas::Land + 'static;
    /// Makes `len` more, whose indices begin with `first`.
    #[cfg(growing)]
    fn map(&self, first: usize, len: usize) -> Option<core::ptr::NonNull<crate::areas::Area<Self::Land>>>;
    /// Told when such an area is there for all to see.
    #[cfg(growing)]
    fn published(&self, _area: &crate::areas::Area<Self::Land>) {}
    /// Takes back what nobody has seen.
    ///
    /// # Safety
    /// `area` came from `map`, and no reference to it is left.
    #[cfg(growing)]
    unsafe fn unmap(&self, area: core::ptr::NonNull<crate::areas::Area<Self::Land>>);
}

/// Which of stubs that lie `stride` bytes apart begins `offset` bytes behind the first.
#[inline(always)]
pub(crate) fn number_at(offset: usize, count: usize, stride: usize) -> Option<u32> {
    (offset < count * stride && offset.is_multiple_of(stride)).then_some((offset / stride) as u32)
}

/// The same, and what is wrong with any other offset.
#[cfg(any(growing, loom, test))]
pub(crate) fn number_of(offset: usize, count: usize, stride: usize) -> Result<u32, NotAStub> {
    number_called(offset, count, stride, 0)
}

/// The same of an address that is called, which has `bit` besides. Without it no stub begins there.
pub(crate) fn number_called(offset: usize, count: usize, stride: usize, bit: usize) -> Result<u32, NotAStub> {
    if offset >= count * stride {
        return Err(NotAStub::Foreign);
    }
    number_at(offset.wrapping_sub(bit), count, stride).ok_or(NotAStub::Interior)
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
    use super::{NotAStub, SLOTS, Slot, Stubs, number_called};
    #[cfg(not(compact))]
    use super::{Table, number_at};
    use crate::arch::{CODE_BIT, STUB_STRIDE, address_of, dead_procedure};

    #[cfg(all(rust_asm, target_arch = "x86_64"))]
    core::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/table.S")), options(raw, att_syntax));
    #[cfg(all(rust_asm, not(target_arch = "x86_64")))]
    core::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/table.S")), options(raw));

    /// The table that the linker placed: stubs in `.text`, slots in `.tramp_data`.
    pub(crate) struct StaticTable;

    impl StaticTable {
        #[inline(always)]
        pub(crate) fn stubs(&self) -> *const u8 {
            address_of!("stubs")
        }

        #[inline(always)]
        pub(crate) fn slots(&self) -> *const Slot {
            address_of!("slots").cast()
        }
    }

    impl Stubs for StaticTable {
        type Slot = Slot;

        #[inline(always)]
        fn slot(&self, index: u32) -> &Slot {
            debug_assert!((index as usize) < SLOTS);
            // SAFETY: the assembler reserved SLOTS slots there (a test reads the object),
            // every index comes from this pool and is below SLOTS, and a slot is made of
            // atomics, for which memory of any content is valid.
            unsafe { &*self.slots().add(index as usize) }
        }

        #[inline(always)]
        fn stub(&self, index: u32) -> *const () {
            self.stubs().wrapping_add(index as usize * STUB_STRIDE + CODE_BIT).cast()
        }

        #[cfg(not(compact))]
        #[inline(always)]
        fn index_at(&self, address: usize) -> Option<u32> {
            number_at(address.wrapping_sub(self.stubs().addr() + CODE_BIT), SLOTS, STUB_STRIDE)
        }

        fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
            number_called(address.wrapping_sub(self.stubs().addr()), SLOTS, STUB_STRIDE, CODE_BIT)
        }

        #[inline(always)]
        fn dead_procedure(&self) -> *const () {
            dead_procedure as *const ()
        }
    }

    #[cfg(not(compact))]
    impl Table for StaticTable {
        #[cfg(growing)]
        type Land = crate::grow::Copies;

        #[cfg(growing)]
        fn map(&self, first: usize, len: usize) -> Option<crate::grow::NewArea> {
            crate::grow::map(first, len)
        }

        #[cfg(growing)]
        fn published(&self, area: &crate::areas::Area<Self::Land>) {
            crate::grow::announce(area);
        }

        #[cfg(growing)]
        unsafe fn unmap(&self, area: crate::grow::NewArea) {
            // SAFETY: handed on.
            unsafe { crate::grow::unmap(area) }
        }
    }
}

/// A table without stubs, for loom's models and for tests that need one of their own.
/// An address is a base plus the index and cannot be called.
#[cfg(any(loom, test))]
pub(crate) use of_a_test::OwnTable;
#[cfg(test)]
pub(crate) use of_a_test::{Junk, TestTable, junk};

#[cfg(any(loom, test))]
mod of_a_test {
    use super::{NotAStub, SLOTS, Slot, Stubs, Table, number_of};
    use crate::sync::{AtomicPtr, AtomicU32};
    #[cfg(growing)]
    use crate::sync::{AtomicUsize, Relaxed};

    extern crate std;
    #[cfg(growing)]
    use std::boxed::Box;

    pub(crate) struct TestTable<S> {
        slots: [S; SLOTS],
        #[cfg_attr(not(growing), allow(dead_code))]
        grows: bool,
    }

    pub(crate) type OwnTable = TestTable<Slot>;

    /// What a slot that nobody was handed may hold: anything.
    pub(crate) trait Junk {
        fn junk() -> Self;
    }

    pub(crate) fn junk<P>() -> AtomicPtr<P> {
        AtomicPtr::new(core::ptr::without_provenance_mut(0x5a5a))
    }

    impl Junk for Slot {
        fn junk() -> Self {
            Slot {
                chain: junk(),
                callee: junk(),
                claim: AtomicU32::new(0x5a5b),
                below: AtomicU32::new(0x5a5a_5a5a),
                procedure: junk(),
            }
        }
    }

    const BASE: usize = 0x1000_0000;

    impl<S: Junk> TestTable<S> {
        pub(crate) const DEAD: usize = 0xdead;

        pub(crate) fn new() -> Self {
            Self { slots: core::array::from_fn(|_| S::junk()), grows: false }
        }
    }

    impl OwnTable {
        /// One to which slots can be added.
        #[cfg(growing)]
        pub(crate) fn growing() -> Self {
            Self { grows: true, ..Self::new() }
        }
    }

    impl<S: Junk> Stubs for TestTable<S> {
        type Slot = S;

        fn slot(&self, index: u32) -> &S {
            &self.slots[index as usize]
        }

        fn stub(&self, index: u32) -> *const () {
            core::ptr::without_provenance(BASE + index as usize)
        }

        fn index_at(&self, address: usize) -> Option<u32> {
            self.index_of(address).ok()
        }

        fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
            number_of(address.wrapping_sub(BASE), SLOTS, 1)
        }

        fn dead_procedure(&self) -> *const () {
            core::ptr::without_provenance(Self::DEAD)
        }
    }

    impl Table for OwnTable {
        #[cfg(growing)]
        type Land = Lot;

        #[cfg(growing)]
        fn map(&self, first: usize, len: usize) -> Option<core::ptr::NonNull<crate::areas::Area<Lot>>> {
            use crate::areas::Area;
            if !self.grows {
                return None;
            }
            let words = (0..Area::<Lot>::words(len)).map(|_| AtomicUsize::new(0));
            let area = Area {
                first: first as u32,
                len: len as u32,
                all_taken: AtomicU32::new(0),
                words: Box::leak(words.collect::<Box<[_]>>()),
                land: Lot { base: AtomicUsize::new(0), slots: (0..len).map(|_| Slot::junk()).collect() },
            };
            // An atomic, and stored apart: loom shows who may read the area too early.
            area.land.base.store(BASE + first, Relaxed);
            Some(core::ptr::NonNull::from(Box::leak(Box::new(area))))
        }

        #[cfg(growing)]
        unsafe fn unmap(&self, area: core::ptr::NonNull<crate::areas::Area<Lot>>) {
            // SAFETY: `map` leaked both boxes, and no reference is left.
            unsafe {
                let area = Box::from_raw(area.as_ptr());
                drop(Box::from_raw(core::ptr::from_ref(area.words).cast_mut()));
            }
        }
    }

    /// Slots added to such a table.
    #[cfg(growing)]
    pub(crate) struct Lot {
        base: AtomicUsize,
        slots: Box<[Slot]>,
    }

    #[cfg(growing)]
    impl crate::areas::Land for Lot {
        fn slot(&self, number: u32) -> &Slot {
            &self.slots[number as usize]
        }

        fn stub(&self, number: u32) -> *const () {
            core::ptr::without_provenance(self.base.load(Relaxed) + number as usize)
        }

        fn number_of(&self, address: usize) -> Result<u32, NotAStub> {
            number_of(address.wrapping_sub(self.base.load(Relaxed)), self.slots.len(), 1)
        }
    }
}
