//! A table of a map in a block of memory, and the list of all blocks.

use super::{FunctionPair, TableMemory};
use crate::sync::{AtomicU64, Relaxed};
use core::alloc::Layout;
use core::ptr::null_mut;

/// A place of the index. A host's address of 0 is none.
struct Place {
    host: AtomicU64,
    target: AtomicU64,
}

/// A table. What readers read is atomic, since a reader that comes late reads it while it is filled again.
pub(super) struct Block {
    lowest: AtomicU64,
    /// From the lowest to the highest.
    span: AtomicU64,
    /// A power of two, at least twice the pairs there can be: there is always an empty place.
    places: usize,
    index: *const Place,
    /// Only the writer's, and of those who read it at rest: half as many as places.
    pub(super) pairs: *mut FunctionPair,
    next: *mut Block,
}

impl Block {
    /// Of a block with so many places, and where in it the places and the pairs begin.
    fn layout(places: usize) -> Option<(Layout, usize, usize)> {
        let (layout, index) = Layout::new::<Block>().extend(Layout::array::<Place>(places).ok()?).ok()?;
        let (layout, pairs) = layout.extend(Layout::array::<FunctionPair>(places / 2).ok()?).ok()?;
        Some((layout, index, pairs))
    }

    /// Where the search for an address begins: bits of the high half of a product with 2^64 divided by the golden ratio, by
    /// which addresses that lie at equal distances are spread (Knuth, volume 3, 6.4).
    #[inline(always)]
    fn first_place(&self, host: u64) -> usize {
        (host.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.places - 1)
    }

    /// Relaxed throughout: [`FunctionMap::find`](super::FunctionMap::find) says why.
    #[inline(always)]
    pub(super) fn find(&self, host: u64) -> Option<u64> {
        if host.wrapping_sub(self.lowest.load(Relaxed)) > self.span.load(Relaxed) {
            return None;
        }
        let mut at = self.first_place(host);
        // There is an empty place, but a reader that is late may miss it.
        for _ in 0..self.places {
            // SAFETY: `at` is less than `places`.
            let place = unsafe { &*self.index.add(at) };
            match place.host.load(Relaxed) {
                found if found == host => return Some(place.target.load(Relaxed)),
                0 => return None,
                _ => at = (at + 1) & (self.places - 1),
            }
        }
        None
    }

    /// Fills the index with the pairs. Relaxed throughout: `FunctionMap::replace` orders it.
    pub(super) fn fill(&self, pairs: &[FunctionPair]) {
        // SAFETY: so many places are there.
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
        // An empty table: no address is that high.
        let lowest = pairs.first().map_or(u64::MAX, |pair| pair.host);
        self.lowest.store(lowest, Relaxed);
        self.span.store(pairs.last().map_or(0, |pair| pair.host.wrapping_sub(lowest)), Relaxed);
    }
}

/// All blocks of a map, as a list: the writer's.
pub(super) struct Blocks {
    first: *mut Block,
}

// SAFETY: the list has its blocks alone; others read atomics of them, or what never changes.
unsafe impl Send for Blocks {}

impl Blocks {
    pub(super) const fn new() -> Self {
        Blocks { first: null_mut() }
    }

    /// A block with room for so many pairs that is not `current`, the smallest there is or a new one.
    pub(super) fn spare(
        &mut self,
        pairs: usize,
        current: *mut Block,
        memory: &impl TableMemory,
    ) -> Option<*mut Block> {
        let wanted = pairs.max(1).checked_next_power_of_two()?.checked_mul(2)?;
        let mut best = null_mut::<Block>();
        let mut next = self.first;
        // SAFETY: blocks are in the list for as long as the map is there, and the list is the writer's.
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

    /// A new block in the list.
    fn allocate(&mut self, places: usize, memory: &impl TableMemory) -> Option<*mut Block> {
        let (layout, index, pairs) = Block::layout(places)?;
        let memory = memory.allocate(layout);
        if memory.is_null() {
            return None;
        }
        // SAFETY: the memory is of this layout, and nobody else's.
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

    /// Frees all of them.
    ///
    /// # Safety
    /// They came from this memory, and nobody reads them any more.
    pub(super) unsafe fn free(&mut self, memory: &impl TableMemory) {
        let mut next = core::mem::replace(&mut self.first, null_mut());
        while !next.is_null() {
            let block = next;
            // SAFETY: blocks of the list come from `allocate`; the caller's promise.
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
