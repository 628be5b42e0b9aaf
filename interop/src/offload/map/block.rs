//! Memory blocks, each with one table of a map, and the list of a map's blocks.

use super::{FunctionPair, TableMemory};
use crate::sync::{AtomicU64, Relaxed};
use core::alloc::Layout;
use core::ptr::null_mut;

/// A bucket of the index. An empty bucket has the host address 0.
struct Bucket {
    host: AtomicU64,
    target: AtomicU64,
}

/// A block with a table. A slow reader might still be reading a block while a writer refills it, so all fields that
/// both access are atomic.
pub(super) struct Block {
    lowest: AtomicU64,
    /// The difference between the highest and the lowest host address.
    span: AtomicU64,
    /// The number of buckets: a power of two, and twice the maximum number of pairs, so that some bucket is always
    /// empty.
    buckets: usize,
    index: *const Bucket,
    /// The pairs, with room for half as many pairs as there are buckets. While the writer changes the block, it alone
    /// accesses the pairs; at other times, readers may too.
    pub(super) pairs: *mut FunctionPair,
    next: *mut Block,
}

impl Block {
    /// Returns the layout of a block with `buckets` buckets, and the offsets of the buckets and the pairs in the block.
    fn layout(buckets: usize) -> Option<(Layout, usize, usize)> {
        let (layout, index) = Layout::new::<Block>().extend(Layout::array::<Bucket>(buckets).ok()?).ok()?;
        let (layout, pairs) = layout.extend(Layout::array::<FunctionPair>(buckets / 2).ok()?).ok()?;
        Some((layout, index, pairs))
    }

    /// Returns the index of the first bucket to search for an address. The index is taken from the upper half of the
    /// address times 2^64 / (the golden ratio), modulo 2^64: Fibonacci hashing scatters equally spaced addresses
    /// (Knuth, volume 3, 6.4).
    #[inline(always)]
    fn first_bucket(&self, host: u64) -> usize {
        (host.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.buckets - 1)
    }

    /// Looks up an address. All loads are Relaxed; [`FunctionMap::find`](super::FunctionMap::find) explains why.
    #[inline(always)]
    pub(super) fn find(&self, host: u64) -> Option<u64> {
        if host.wrapping_sub(self.lowest.load(Relaxed)) > self.span.load(Relaxed) {
            return None;
        }
        let mut at = self.first_bucket(host);
        // The loop is bounded, because a slow reader might miss the empty bucket while the block is refilled.
        for _ in 0..self.buckets {
            // SAFETY: `at` is less than the number of buckets.
            let bucket = unsafe { &*self.index.add(at) };
            match bucket.host.load(Relaxed) {
                found if found == host => return Some(bucket.target.load(Relaxed)),
                0 => return None,
                _ => at = (at + 1) & (self.buckets - 1),
            }
        }
        None
    }

    /// Fills the index with the pairs. All stores are Relaxed; `FunctionMap::replace` orders these stores.
    pub(super) fn fill(&self, pairs: &[FunctionPair]) {
        // SAFETY: the block has `self.buckets` buckets.
        let buckets = unsafe { core::slice::from_raw_parts(self.index, self.buckets) };
        buckets.iter().for_each(|bucket| bucket.host.store(0, Relaxed));
        for pair in pairs {
            let first = self.first_bucket(pair.host);
            let (before, after) = buckets.split_at_checked(first).unwrap_or((&[], buckets));
            if let Some(bucket) = after.iter().chain(before).find(|bucket| bucket.host.load(Relaxed) == 0) {
                bucket.target.store(pair.target, Relaxed);
                bucket.host.store(pair.host, Relaxed);
            }
        }
        // For an empty table, the lowest address is `u64::MAX`, so that every lower one is rejected.
        let lowest = pairs.first().map_or(u64::MAX, |pair| pair.host);
        self.lowest.store(lowest, Relaxed);
        self.span.store(pairs.last().map_or(0, |pair| pair.host.wrapping_sub(lowest)), Relaxed);
    }
}

/// All blocks of a map, in a list that only the writer accesses.
pub(super) struct Blocks {
    first: *mut Block,
}

// SAFETY: only the list owns the blocks. While a writer is changing a block, other threads read only its atomic fields
// and those that never change.
unsafe impl Send for Blocks {}

impl Blocks {
    pub(super) const fn new() -> Self {
        Blocks { first: null_mut() }
    }

    /// Returns the smallest block other than `current` that has room for this number of pairs, or a new block if there is
    /// none.
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
                let fits = next != current && block.buckets >= wanted;
                if fits && best.as_ref().is_none_or(|best| block.buckets < best.buckets) {
                    best = next;
                }
                next = block.next;
            }
        }
        if best.is_null() { self.allocate(wanted, memory) } else { Some(best) }
    }

    /// Allocates a block and adds it to the list.
    fn allocate(&mut self, buckets: usize, memory: &impl TableMemory) -> Option<*mut Block> {
        let (layout, index, pairs) = Block::layout(buckets)?;
        let memory = memory.allocate(layout);
        if memory.is_null() {
            return None;
        }
        // SAFETY: the memory has this layout and is not shared yet.
        unsafe {
            let index = memory.add(index).cast::<Bucket>();
            for number in 0..buckets {
                index.add(number).write(Bucket { host: AtomicU64::new(0), target: AtomicU64::new(0) });
            }
            let block = memory.cast::<Block>();
            block.write(Block {
                lowest: AtomicU64::new(u64::MAX),
                span: AtomicU64::new(0),
                buckets,
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
    /// `memory` must be the allocator that allocated the blocks, and no thread may still be reading the blocks.
    pub(super) unsafe fn free(&mut self, memory: &impl TableMemory) {
        let mut next = core::mem::replace(&mut self.first, null_mut());
        while !next.is_null() {
            let block = next;
            // SAFETY: the blocks in the list come from `allocate`. The caller guarantees that `memory` allocated them
            // and that no thread reads them.
            unsafe {
                let buckets = (*block).buckets;
                next = (*block).next;
                core::ptr::slice_from_raw_parts_mut((*block).index.cast_mut(), buckets).drop_in_place();
                block.drop_in_place();
                if let Some((layout, ..)) = Block::layout(buckets) {
                    memory.free(block.cast(), layout);
                }
            }
        }
    }
}
