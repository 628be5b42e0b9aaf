//! A table without stubs, for loom models and for tests that need their own table. An address is a base plus the slot's
//! index, and cannot be called.

use super::hosted::{Heads, Shard, Shards, Slot, Table};
#[cfg(growing)]
use super::hosted::{Region, Row};
use super::{NotAStub, SLOTS, Stubs, number_of};
use crate::sync::{AtomicPtr, AtomicU32};
#[cfg(growing)]
use crate::sync::{AtomicUsize, Ordering, Relaxed};

extern crate std;
#[cfg(growing)]
use std::boxed::Box;

pub(crate) struct TestTable<S> {
    slots: [S; SLOTS],
    /// The only shard. All threads share it, so that they interfere more than they would with separate shards.
    shard: Shard,
    heads: Heads,
    #[cfg_attr(not(growing), allow(dead_code))]
    grows: bool,
    #[cfg_attr(not(loom), allow(dead_code))]
    has_barrier: bool,
    #[cfg(growing)]
    row: TestRow,
    #[cfg(growing)]
    has_row: bool,
}

/// A table of slots for the hosted pool, not the bare pool.
pub(crate) type OwnTable = TestTable<Slot>;

/// A slot type that can be filled with arbitrary values, as a slot's memory is before the slot is first handed out.
pub(crate) trait Junk {
    fn junk() -> Self;
}

fn junk<P>() -> AtomicPtr<P> {
    AtomicPtr::new(core::ptr::without_provenance_mut(0x5a5a))
}

#[cfg(test)]
impl Junk for super::bare::Slot {
    fn junk() -> Self {
        super::bare::Slot { chain: junk(), entry: junk() }
    }
}

/// The contents of a live slot with callee A. Code that reads the slot before its initialization therefore mistakes
/// these contents for one of the models' trampolines.
impl Junk for Slot {
    fn junk() -> Self {
        Slot {
            chain: junk(),
            entry: junk(),
            state: AtomicU32::new(0x5a5b),
            below: AtomicU32::new(0x5a5a_5a5a),
            callee: AtomicPtr::new(A.cast_mut()),
        }
    }
}

/// A callee that the tests use.
pub(crate) const A: *const () = core::ptr::without_provenance(0x1001_0000);

const BASE: usize = 0x1000_0000;

impl<S: Junk> TestTable<S> {
    pub(crate) const DEAD: usize = 0xdead;

    pub(crate) fn new() -> Self {
        Self {
            slots: core::array::from_fn(|_| S::junk()),
            shard: Shard::new(),
            heads: Heads::new(),
            grows: false,
            has_barrier: false,
            #[cfg(growing)]
            row: TestRow { segment: AtomicPtr::new(core::ptr::null_mut()) },
            #[cfg(growing)]
            has_row: true,
        }
    }
}

impl OwnTable {
    /// Returns a growable table.
    #[cfg(growing)]
    pub(crate) fn growing() -> Self {
        Self { grows: true, ..Self::new() }
    }

    /// Returns a table whose pool is allowed to record that the table is full.
    #[cfg(loom)]
    pub(crate) fn with_barrier() -> Self {
        Self { has_barrier: true, ..Self::new() }
    }

    /// Returns a growable table whose pool is allowed to record that the table is full.
    #[cfg(loom)]
    pub(crate) fn growing_with_barrier() -> Self {
        Self { has_barrier: true, ..Self::growing() }
    }

    /// Returns a growable table whose row contains no segment.
    #[cfg(all(growing, loom))]
    pub(crate) fn growing_without_row() -> Self {
        Self { has_row: false, ..Self::growing() }
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

impl Shards for OwnTable {
    fn shard(&self) -> &Shard {
        &self.shard
    }

    fn heads(&self) -> &Heads {
        &self.heads
    }

    #[cfg(loom)]
    fn has_barrier(&self) -> bool {
        self.has_barrier
    }

    // Only this thread executes a barrier here; each other thread executes one when it calls `ordered_by_barriers`.
    #[cfg(loom)]
    fn barrier(&self) -> bool {
        crate::sync::ordered_by_barriers();
        true
    }
}

/// The row of a table without stubs. It contains only the first segment.
#[cfg(growing)]
pub(crate) struct TestRow {
    /// The segment, or null before its publication. Relaxed: the pool must make the segment visible to each thread
    /// that uses the row.
    segment: AtomicPtr<super::hosted::Segment<Lot>>,
}

#[cfg(growing)]
impl TestRow {
    fn segment(&self) -> &super::hosted::Segment<Lot> {
        // SAFETY: the pointer is null, or points to a segment that was published and is therefore never unmapped.
        unsafe { self.segment.load(Relaxed).as_ref() }.expect("the row is used before it exists")
    }
}

#[cfg(growing)]
impl Row for TestRow {
    const MAY_EXIST: bool = true;

    fn slot(&self, index: u32) -> &Slot {
        self.segment().region.slot(index - SLOTS as u32)
    }

    fn stub(&self, index: u32) -> *const () {
        self.segment().region.stub(index - SLOTS as u32)
    }

    fn index_at(&self, address: usize) -> Option<usize> {
        // Before the row's fields are visible, the computation yields an arbitrary result.
        if self.segment.load(Relaxed).is_null() { Some(SLOTS) } else { Some(address.wrapping_sub(BASE)) }
    }

    fn slot_of(&self, index: u32, _stub: usize) -> &Slot {
        self.slot(index)
    }

    fn stub_of(&self, index: u32, _slot: &Slot) -> *const () {
        self.stub(index)
    }

    fn is_open(&self, index: u32, order: Ordering) -> bool {
        self.segment().bits().open.contains(index as usize - SLOTS, order)
    }

    fn is_marked(&self, index: u32, order: Ordering) -> bool {
        self.segment().bits().dead.contains(index as usize - SLOTS, order)
    }
}

impl Table for OwnTable {
    #[cfg(growing)]
    type Region = Lot;
    #[cfg(growing)]
    type Row = TestRow;

    #[cfg(growing)]
    fn row(&self) -> &TestRow {
        &self.row
    }

    #[cfg(growing)]
    fn is_in_row(&self, segment: &super::hosted::Segment<Lot>) -> bool {
        let is_first = self.has_row && segment.first as usize == SLOTS;
        if is_first {
            self.row.segment.store(core::ptr::from_ref(segment).cast_mut(), Relaxed);
        }
        is_first
    }

    #[cfg(growing)]
    fn map(&self, first: usize, len: usize) -> Option<core::ptr::NonNull<super::hosted::Segment<Lot>>> {
        use super::hosted::Segment;
        if !self.grows {
            return None;
        }
        let words = || {
            let words = (0..super::hosted::words(len)).map(|_| AtomicUsize::new(0));
            &*Box::leak(words.collect::<Box<[_]>>())
        };
        let segment = Segment {
            first: first as u32,
            len: len as u32,
            all_taken: AtomicU32::new(0),
            words: [words(), words(), words()],
            region: Lot { base: AtomicUsize::new(0), slots: (0..len).map(|_| Slot::junk()).collect() },
        };
        // The base is a separately stored atomic, so that loom detects a thread that reads the segment too early.
        segment.region.base.store(BASE + first, Relaxed);
        Some(core::ptr::NonNull::from(Box::leak(Box::new(segment))))
    }

    #[cfg(growing)]
    unsafe fn unmap(&self, segment: core::ptr::NonNull<super::hosted::Segment<Lot>>) {
        // SAFETY: `map` leaked the boxes, and no reference remains.
        unsafe {
            let segment = Box::from_raw(segment.as_ptr());
            segment
                .words
                .iter()
                .for_each(|&words| drop(Box::from_raw(core::ptr::from_ref(words).cast_mut())));
        }
    }
}

/// The added slots of a table without stubs.
#[cfg(growing)]
pub(crate) struct Lot {
    base: AtomicUsize,
    slots: Box<[Slot]>,
}

#[cfg(growing)]
impl Region for Lot {
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
