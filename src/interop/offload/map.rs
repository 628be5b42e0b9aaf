//! A table of pairs that is replaced while others read it.
//!
//! ```text
//!   version --.             .--> block  (in use)   lowest | span | index: host, target, host, target, ...
//!             +-- the map --+                                    | pairs, in order
//!   current --'             '--> blocks (the one before, to be filled again; smaller ones)
//! ```
//!
//! A reader takes nothing and writes nothing: it reads the version, looks the address up in the block that is in use,
//! and looks at the version again. If that has changed, the block may have been filled anew meanwhile, and it looks
//! again. A writer fills a block that is not in use, and publishes it. So a block must stay readable for as long as there may be
//! readers, which nobody can know: blocks are kept for the tables to come, and freed with the map. There are never
//! more than two of one size, and the sizes are powers of two: four times what the largest table needs, at most.

use super::{FunctionPair, MOST_FUNCTIONS, MapError, SortedFunctions};
use crate::sync::{Acquire, AtomicPtr, AtomicU64, AtomicUsize, Relaxed, Release, const_fn, fence};
use core::alloc::Layout;
use core::cell::UnsafeCell;
use core::ptr::null_mut;

/// Where a map has its memory from.
///
/// # Safety
/// What `allocate` returns is null, or memory of that layout that nobody else uses until it is freed.
pub unsafe trait Memory {
    /// Memory, or null.
    fn allocate(&self, layout: Layout) -> *mut u8;

    /// Takes it back.
    ///
    /// # Safety
    /// `memory` came from `allocate` with this layout, and is not used any more.
    unsafe fn free(&self, memory: *mut u8, layout: Layout);
}

#[cfg(feature = "alloc")]
extern crate alloc;

/// The heap of the program.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Default, Debug)]
pub struct Heap;

#[cfg(feature = "alloc")]
// SAFETY: the allocator keeps what the trait asks for.
unsafe impl Memory for Heap {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        if layout.size() == 0 {
            return null_mut(); // which the allocator need not know; a block is never of that size
        }
        // SAFETY: the size is not 0.
        unsafe { alloc::alloc::alloc(layout) }
    }

    unsafe fn free(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: handed on.
        unsafe { alloc::alloc::dealloc(memory, layout) }
    }
}

/// A place of the index. A host's address of 0 is none.
struct Place {
    host: AtomicU64,
    target: AtomicU64,
}

/// A table. What readers read is atomic, since a reader that comes late reads it while it is filled again.
struct Block {
    lowest: AtomicU64,
    /// From the lowest to the highest.
    span: AtomicU64,
    /// A power of two, at least twice the pairs there can be: there is always an empty place.
    places: usize,
    index: *const Place,
    /// Only the writer's, and of those who read it at rest: half as many as places.
    pairs: *mut FunctionPair,
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

    /// Relaxed throughout: [`FunctionMap::find`] says why.
    #[inline(always)]
    fn find(&self, host: u64) -> Option<u64> {
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

    /// Fills the index with the pairs.
    fn index(&self, pairs: &[FunctionPair]) {
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

/// The device's functions by the host's addresses, for one device: read by any thread at any time, in a signal handler
/// too, while another replaces the table. To look an address up never waits for that, takes no lock and writes nothing.
///
/// ```
/// use statictramp::interop::offload::{FunctionMap, FunctionPair, MapError};
///
/// static DEVICE: FunctionMap = FunctionMap::new();
///
/// DEVICE.set(&[FunctionPair { host: 0x5000, target: 0x17 }, FunctionPair { host: 0x4000, target: 0x18 }])?;
/// assert_eq!(DEVICE.find(0x4000), Some(0x18));
/// assert_eq!(DEVICE.translate(0x4008), 0x4008);
/// let twice = [FunctionPair { host: 0x5000, target: 1 }, FunctionPair { host: 0x5000, target: 2 }];
/// assert_eq!(DEVICE.set(&twice), Err(MapError::Conflict(0x5000)));
/// assert_eq!(DEVICE.translate(0x5000), 0x17, "the table before is still there");
/// # Ok::<(), MapError>(())
/// ```
pub struct FunctionMap<#[cfg(feature = "alloc")] M: Memory = Heap, #[cfg(not(feature = "alloc"))] M: Memory> {
    /// How many tables there have been.
    version: AtomicUsize,
    /// Null before the first.
    current: AtomicPtr<Block>,
    /// 1 while a writer is at work.
    writing: AtomicUsize,
    /// All of them; the writer's.
    blocks: UnsafeCell<*mut Block>,
    memory: M,
}

// SAFETY: `blocks` is used only by the one who has set `writing`, or who has the map alone; what others read of a block is
// atomic or never changes.
unsafe impl<M: Memory + Sync> Sync for FunctionMap<M> {}
// SAFETY: the blocks belong to the map.
unsafe impl<M: Memory + Send> Send for FunctionMap<M> {}

#[cfg(feature = "alloc")]
impl FunctionMap<Heap> {
    const_fn! {
        /// An empty map.
        #[allow(clippy::new_without_default)]
        pub fn new() -> Self {
            Self::with_memory(Heap)
        }
    }
}

impl<M: Memory> FunctionMap<M> {
    const_fn! {
        /// An empty map, whose tables will lie in this memory.
        pub fn with_memory(memory: M) -> Self {
            FunctionMap {
                version: AtomicUsize::new(0),
                current: AtomicPtr::new(null_mut()),
                writing: AtomicUsize::new(0),
                blocks: UnsafeCell::new(null_mut()),
                memory,
            }
        }
    }

    /// The device's address for a host's; `None` if it is in no pair, as null is in none.
    #[inline]
    pub fn find(&self, host: u64) -> Option<u64> {
        loop {
            // Acquire: of the version's table, or of a later one, everything is seen.
            let version = self.version.load(Acquire);
            // Acquire: a block is seen whole, also the first time.
            let current = self.current.load(Acquire);
            // SAFETY: a block lives as long as the map.
            let found = unsafe { current.as_ref() }.and_then(|block| block.find(host));
            // If something read above comes from a later table, then the fence, with the one in `replace`, makes sure that the
            // version of the table before that is seen now. Relaxed is enough for the load itself, then.
            fence(Acquire);
            if self.version.load(Relaxed) == version {
                return found;
            }
        }
    }

    /// The device's address for a host's; the host's own if it is in no pair (`__kmpc_target_translate_fptr`).
    #[inline]
    pub fn translate(&self, host: u64) -> u64 {
        self.find(host).unwrap_or(host)
    }

    /// Replaces the table. The pairs may be in any order; equal ones become one. Another thread that does the same is
    /// waited for, so this is nothing for a signal handler.
    ///
    /// # Errors
    /// [`MapError::TooMany`], [`MapError::NullHost`], [`MapError::NullTarget`], [`MapError::Conflict`],
    /// [`MapError::NoMemory`]. The old table stays then.
    pub fn set(&self, pairs: &[FunctionPair]) -> Result<(), MapError> {
        self.set_and(pairs, |_| ())
    }

    /// The same, and tells of the table, in order, when it is in use and before another can be.
    ///
    /// # Errors
    /// As for [`set`](FunctionMap::set).
    #[doc(hidden)]
    pub fn set_and(
        &self,
        pairs: &[FunctionPair],
        then: impl FnOnce(SortedFunctions<'_>),
    ) -> Result<(), MapError> {
        if pairs.len() > MOST_FUNCTIONS {
            return Err(MapError::TooMany(pairs.len() as u64));
        }
        // Acquire, and Release below: one writer sees what another has done to the blocks.
        while self.writing.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            #[cfg(loom)]
            loom::thread::yield_now();
            #[cfg(not(loom))]
            core::hint::spin_loop();
        }
        let replaced = self.replace(pairs, then);
        self.writing.store(0, Release);
        replaced
    }

    /// By the writer.
    fn replace(
        &self,
        pairs: &[FunctionPair],
        then: impl FnOnce(SortedFunctions<'_>),
    ) -> Result<(), MapError> {
        let block = self.spare(pairs.len()).ok_or(MapError::NoMemory)?;
        // SAFETY: the block is not in use, so its pairs are this writer's alone; there is room for as many.
        let sorted = unsafe {
            // Those that are given may lie here: a copy of them that was told of long ago.
            (*block).pairs.copy_from(pairs.as_ptr(), pairs.len());
            SortedFunctions::new(core::slice::from_raw_parts_mut((*block).pairs, pairs.len()))?
        };
        // After the publication that took this block out of use: whoever reads something of what follows must see, at
        // the end, that the version has changed.
        fence(Release);
        // SAFETY: as above; what readers that come late may read is atomic.
        unsafe { (*block).index(sorted.pairs()) };
        // Release: who gets the block sees what is in it. The version after it: who sees that sees this block or a later one.
        self.current.store(block, Release);
        self.version.store(self.version.load(Relaxed).wrapping_add(1), Release);
        then(sorted);
        Ok(())
    }

    /// By the writer: a block with room for so many pairs that is not in use, the smallest there is.
    fn spare(&self, pairs: usize) -> Option<*mut Block> {
        let wanted = pairs.max(1).checked_next_power_of_two()?.checked_mul(2)?;
        // Relaxed: writers have written it.
        let current = self.current.load(Relaxed);
        let mut best = null_mut::<Block>();
        // SAFETY: blocks are in the list for as long as the map is there, and the list is the writer's.
        unsafe {
            let mut next = *self.blocks.get();
            while let Some(block) = next.as_mut() {
                let fits = next != current && block.places >= wanted;
                if fits && best.as_ref().is_none_or(|best| block.places < best.places) {
                    best = next;
                }
                next = block.next;
            }
        }
        if best.is_null() { self.allocate(wanted) } else { Some(best) }
    }

    /// By the writer: a new block in the list.
    fn allocate(&self, places: usize) -> Option<*mut Block> {
        let (layout, index, pairs) = Block::layout(places)?;
        let memory = self.memory.allocate(layout);
        if memory.is_null() {
            return None;
        }
        // SAFETY: the memory is of this layout, and nobody else's; the list is the writer's.
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
                next: *self.blocks.get(),
            });
            *self.blocks.get() = block;
            Some(block)
        }
    }
}

impl<M: Memory> Drop for FunctionMap<M> {
    /// Nobody reads any more, so all blocks are freed.
    fn drop(&mut self) {
        let mut next = *self.blocks.get_mut();
        while !next.is_null() {
            let block = next;
            // SAFETY: blocks of the list come from `allocate`, and nobody uses them any more.
            unsafe {
                let places = (*block).places;
                next = (*block).next;
                core::ptr::slice_from_raw_parts_mut((*block).index.cast_mut(), places).drop_in_place();
                block.drop_in_place();
                if let Some((layout, ..)) = Block::layout(places) {
                    self.memory.free(block.cast(), layout);
                }
            }
        }
    }
}

impl<M: Memory> core::fmt::Debug for FunctionMap<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Relaxed: a number by itself.
        f.debug_struct("FunctionMap").field("tables", &self.version.load(Relaxed)).finish_non_exhaustive()
    }
}
