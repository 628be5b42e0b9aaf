//! A table without stubs, for loom models and for tests that need a table of their own. An address is a base plus the
//! index and cannot be called.

use super::hosted::{Shard, Shards, Slot, Table};
use super::stubs::{NotAStub, SLOTS, Stubs, number_of};
use crate::sync::{AtomicPtr, AtomicU32};
#[cfg(growing)]
use crate::sync::{AtomicUsize, Relaxed};

extern crate std;
#[cfg(growing)]
use std::boxed::Box;

pub(crate) struct TestTable<S> {
    slots: [S; SLOTS],
    /// Shared by all threads, which therefore interfere more than threads with separate shards.
    shard: Shard,
    #[cfg_attr(not(growing), allow(dead_code))]
    grows: bool,
}

/// A table of the hosted pool's own slots, as opposed to bare ones.
pub(crate) type OwnTable = TestTable<Slot>;

/// A slot type whose slots have arbitrary contents until they are first handed out.
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

impl Junk for Slot {
    fn junk() -> Self {
        Slot {
            chain: junk(),
            entry: junk(),
            state: AtomicU32::new(0x5a5b),
            below: AtomicU32::new(0x5a5a_5a5a),
            callee: junk(),
        }
    }
}

const BASE: usize = 0x1000_0000;

impl<S: Junk> TestTable<S> {
    pub(crate) const DEAD: usize = 0xdead;

    pub(crate) fn new() -> Self {
        Self { slots: core::array::from_fn(|_| S::junk()), shard: Shard::new(), grows: false }
    }
}

impl OwnTable {
    /// A table to which slots can be added.
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

impl Shards for OwnTable {
    fn shard(&self) -> &Shard {
        &self.shard
    }
}

impl Table for OwnTable {
    #[cfg(growing)]
    type Region = Lot;

    #[cfg(growing)]
    fn map(&self, first: usize, len: usize) -> Option<core::ptr::NonNull<super::hosted::Segment<Lot>>> {
        use super::hosted::Segment;
        if !self.grows {
            return None;
        }
        let words = (0..Segment::<Lot>::words(len)).map(|_| AtomicUsize::new(0));
        let segment = Segment {
            first: first as u32,
            len: len as u32,
            all_taken: AtomicU32::new(0),
            words: Box::leak(words.collect::<Box<[_]>>()),
            region: Lot { base: AtomicUsize::new(0), slots: (0..len).map(|_| Slot::junk()).collect() },
        };
        // An atomic, stored separately: with it, loom detects a thread that reads the segment too early.
        segment.region.base.store(BASE + first, Relaxed);
        Some(core::ptr::NonNull::from(Box::leak(Box::new(segment))))
    }

    #[cfg(growing)]
    unsafe fn unmap(&self, segment: core::ptr::NonNull<super::hosted::Segment<Lot>>) {
        // SAFETY: `map` leaked both boxes, and no reference remains.
        unsafe {
            let segment = Box::from_raw(segment.as_ptr());
            drop(Box::from_raw(core::ptr::from_ref(segment.words).cast_mut()));
        }
    }
}

/// Slots that were added to a table without stubs.
#[cfg(growing)]
pub(crate) struct Lot {
    base: AtomicUsize,
    slots: Box<[Slot]>,
}

#[cfg(growing)]
impl super::hosted::Region for Lot {
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
