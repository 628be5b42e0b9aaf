//! One table of a map in a block of memory, and the list of all blocks.

use super::{FunctionPair, TableMemory};
use crate::sync::{AtomicU64, Relaxed};
use core::alloc::Layout;
use core::ptr::null_mut;

/// A bucket of the index. A host address of 0 marks an empty bucket.
struct Place {
    host: AtomicU64,
    target: AtomicU64,
}

/// A table. All fields that readers use are atomic, since a late reader may read the block while it is being refilled.
pub(super) struct Block {
    lowest: AtomicU64,
    /// Difference between the highest and the lowest address.
    span: AtomicU64,
    /// The number of buckets: a power of two, at least twice the possible number of pairs, so one bucket is always
    /// empty.
    places: usize,
    index: *const Place,
    /// Accessed only by the writer, and by readers of a block that does not change; there are half as many pairs as
    /// buckets.
    pub(super) pairs: *mut FunctionPair,
    next: *mut Block,
}

impl Block {
    /// Returns the layout of a block with this number of buckets, and the offsets of buckets and pairs in it.
    fn layout(places: usize) -> Option<(Layout, usize, usize)> {
        let (layout, index) = Layout::new::<Block>().extend(Layout::array::<Place>(places).ok()?).ok()?;
        let (layout, pairs) = layout.extend(Layout::array::<FunctionPair>(places / 2).ok()?).ok()?;
        Some((layout, index, pairs))
    }

    /// Returns the bucket where the search for an address begins: bits of the high half of the product with 2^64
    /// divided by the golden ratio, which spreads equidistant addresses (Knuth, volume 3, 6.4).
    #[inline(always)]
    fn first_place(&self, host: u64) -> usize {
        (host.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.places - 1)
    }

    /// All loads are Relaxed; [`FunctionMap::find`](super::FunctionMap::find) explains why.
    #[inline(always)]
    pub(super) fn find(&self, host: u64) -> Option<u64> {
        if host.wrapping_sub(self.lowest.load(Relaxed)) > self.span.load(Relaxed) {
            return None;
        }
        let mut at = self.first_place(host);
        // One bucket is always empty, but a late reader may miss it.
        for _ in 0..self.places {
            // SAFETY: `at` is less than the number of buckets.
            let place = unsafe { &*self.index.add(at) };
            match place.host.load(Relaxed) {
                found if found == host => return Some(place.target.load(Relaxed)),
                0 => return None,
                _ => at = (at + 1) & (self.places - 1),
            }
        }
        None
    }

    /// Fills the index with the pairs. All stores are Relaxed; `FunctionMap::replace` orders them.
    pub(super) fn fill(&self, pairs: &[FunctionPair]) {
        // SAFETY: the block has this number of buckets.
        let places = unsafe { core::slice::from_raw_parts(self.index, self.places) };
        places.iter().for_each(|place| place.host.store(0, Relaxed));
        for pair in pairs {
            let first = self.first_place(pair.host);
            let (before, after) = places.split_at_checked(first).unwrap_or((&[], places));
            if let Some(place) = after.iter().chain(before).find(|place| place.host.load(Relaxed) == 0) {
                place.target.store(pair.target, Relaxed);
                place.host.store(pair.host, Relaxed);
            }
        }
        // For an empty table this is `u64::MAX`, so that every lower address is rejected.
        let lowest = pairs.first().map_or(u64::MAX, |pair| pair.host);
        self.lowest.store(lowest, Relaxed);
        self.span.store(pairs.last().map_or(0, |pair| pair.host.wrapping_sub(lowest)), Relaxed);
    }
}

/// The list of all blocks of a map; accessed only by the writer.
pub(super) struct Blocks {
    first: *mut Block,
}

// SAFETY: the list alone owns its blocks; other threads read only their atomics and fields that never change.
unsafe impl Send for Blocks {}

impl Blocks {
    pub(super) const fn new() -> Self {
        Blocks { first: null_mut() }
    }

    /// Returns the smallest block other than `current` with room for this number of pairs; a new one if there is none.
    pub(super) fn spare(
        &mut self,
        pairs: usize,
        current: *mut Block,
        memory: &impl TableMemory,
    ) -> Option<*mut Block> {
        let wanted = pairs.max(1).checked_next_power_of_two()?.checked_mul(2)?;
        let mut best = null_mut::<Block>();
        let mut next = self.first;
        // SAFETY: blocks stay in the list as long as the map exists, and only the writer accesses the list.
        unsafe {
            while let Some(block) = next.as_ref() {
                let fits = next != current && block.places >= wanted;
                if fits && best.as_ref().is_none_or(|best| block.places < best.places) {
                    best = next;
                }
                next = block.next;
            }
        }
        if best.is_null() { self.allocate(wanted, memory) } else { Some(best) }
    }

    /// Allocates a block and adds it to the list.
    fn allocate(&mut self, places: usize, memory: &impl TableMemory) -> Option<*mut Block> {
        let (layout, index, pairs) = Block::layout(places)?;
        let memory = memory.allocate(layout);
        if memory.is_null() {
            return None;
        }
        // SAFETY: the memory has this layout and is not yet shared.
        unsafe {
            let index = memory.add(index).cast::<Place>();
            for number in 0..places {
                index.add(number).write(Place { host: AtomicU64::new(0), target: AtomicU64::new(0) });
            }
            let block = memory.cast::<Block>();
            block.write(Block {
                lowest: AtomicU64::new(u64::MAX),
                span: AtomicU64::new(0),
                places,
                index,
                pairs: memory.add(pairs).cast(),
                next: self.first,
            });
            self.first = block;
            Some(block)
        }
    }

    /// Frees all blocks.
    ///
    /// # Safety
    /// `memory` must be the allocator from which the blocks came, and no thread may read them any more.
    pub(super) unsafe fn free(&mut self, memory: &impl TableMemory) {
        let mut next = core::mem::replace(&mut self.first, null_mut());
        while !next.is_null() {
            let block = next;
            // SAFETY: blocks in the list come from `allocate`; the rest is guaranteed by the caller.
            unsafe {
                let places = (*block).places;
                next = (*block).next;
                core::ptr::slice_from_raw_parts_mut((*block).index.cast_mut(), places).drop_in_place();
                block.drop_in_place();
                if let Some((layout, ..)) = Block::layout(places) {
                    memory.free(block.cast(), layout);
                }
            }
        }
    }
}
