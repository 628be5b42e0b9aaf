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

mod block;
mod memory;

#[cfg(feature = "alloc")]
pub use memory::Heap;
pub use memory::TableMemory;

use super::{FunctionPair, MOST_FUNCTIONS, MapError, SortedFunctions};
use crate::sync::{Acquire, AtomicPtr, AtomicUsize, Mutex, Relaxed, Release, const_fn, fence};
use block::{Block, Blocks};
use core::ptr::{NonNull, null_mut};

/// The device's functions by the host's addresses, for one device: read by any thread at any time, in a signal handler
/// too, while another replaces the table. To look an address up never waits for that, takes no lock and writes nothing.
///
/// ```
/// use statictramp_interop::offload::{FunctionMap, FunctionPair, MapError};
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
pub struct FunctionMap<
    #[cfg(feature = "alloc")] M: TableMemory = Heap,
    #[cfg(not(feature = "alloc"))] M: TableMemory,
> {
    /// How many tables there have been.
    version: AtomicUsize,
    /// Null before the first.
    current: AtomicPtr<Block>,
    /// Held by the writer.
    blocks: Mutex<Blocks>,
    memory: M,
}

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

impl<M: TableMemory> FunctionMap<M> {
    const_fn! {
        /// An empty map, whose tables will lie in this memory.
        pub fn with_memory(memory: M) -> Self {
            FunctionMap {
                version: AtomicUsize::new(0),
                current: AtomicPtr::new(null_mut()),
                blocks: Mutex::new(Blocks::new()),
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
        // SAFETY: a slice, which can be read.
        unsafe { self.set_and(NonNull::from(pairs), |_| ()) }
    }

    /// As [`set`](FunctionMap::set), and calls `then` with the table, in order, when it is in use and before another can be.
    ///
    /// The pairs may be those that `then` was shown by an earlier call: this one may fill their memory again.
    ///
    /// # Errors
    /// As for [`set`](FunctionMap::set).
    ///
    /// # Safety
    /// The pairs can be read until this has copied them.
    #[doc(hidden)]
    pub unsafe fn set_and(
        &self,
        pairs: NonNull<[FunctionPair]>,
        then: impl FnOnce(SortedFunctions<'_>),
    ) -> Result<(), MapError> {
        if pairs.len() > MOST_FUNCTIONS {
            return Err(MapError::TooMany(pairs.len() as u64));
        }
        // One writer at a time, who sees what the one before has done to the blocks.
        // SAFETY: the caller's promise.
        unsafe { self.replace(&mut self.blocks.lock(), pairs, then) }
    }

    /// By the writer.
    ///
    /// # Safety
    /// As for [`set_and`](FunctionMap::set_and).
    unsafe fn replace(
        &self,
        blocks: &mut Blocks,
        pairs: NonNull<[FunctionPair]>,
        then: impl FnOnce(SortedFunctions<'_>),
    ) -> Result<(), MapError> {
        // Relaxed: writers have written it.
        let current = self.current.load(Relaxed);
        let block = blocks.spare(pairs.len(), current, &self.memory).ok_or(MapError::NoMemory)?;
        // SAFETY: the block is not in use, so its pairs are this writer's alone; there is room for as many. The caller has
        // promised that those given can be read.
        let sorted = unsafe {
            // `copy_from` allows an overlap: the caller may give the table that `then` was shown earlier, which may lie in this
            // very block. For the same reason `pairs` is a pointer: nobody may write what a reference leads to.
            (*block).pairs.copy_from(pairs.cast().as_ptr(), pairs.len());
            SortedFunctions::new(core::slice::from_raw_parts_mut((*block).pairs, pairs.len()))?
        };
        // After the publication that took this block out of use: whoever reads something of what follows must see, at
        // the end, that the version has changed.
        fence(Release);
        // SAFETY: as above; what readers that come late may read is atomic.
        unsafe { (*block).fill(sorted.pairs()) };
        // Release: who gets the block sees what is in it. The version after it: who sees that sees this block or a later one.
        self.current.store(block, Release);
        self.version.store(self.version.load(Relaxed).wrapping_add(1), Release);
        then(sorted);
        Ok(())
    }
}

impl<M: TableMemory> Drop for FunctionMap<M> {
    fn drop(&mut self) {
        // SAFETY: they came from this memory. Nobody reads any more.
        unsafe { self.blocks.lock().free(&self.memory) }
    }
}

impl<M: TableMemory> core::fmt::Debug for FunctionMap<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Relaxed: a number by itself.
        f.debug_struct("FunctionMap").field("tables", &self.version.load(Relaxed)).finish_non_exhaustive()
    }
}
