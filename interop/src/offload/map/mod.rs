//! A table of address pairs that can be replaced while other threads read it.
//!
//! ```text
//!   version --.             .--> block  (in use)   lowest | span | index: host, target, host, target, ...
//!             +-- the map --+                                    | pairs, in order
//!   current --'             '--> blocks (the one before, to be filled again; smaller ones)
//! ```
//!
//! A reader writes nothing. The reader loads the version, looks up the address in the current block, and loads the
//! version again. If the version has changed, the block may have been refilled concurrently, so the reader repeats the
//! lookup. A writer fills a block that is not in use, and then publishes it. A writer cannot tell when the last reader
//! of a block has finished, so blocks are kept for later tables and freed with the map. There are never more than two
//! blocks of the same size, and every bucket count is a power of two, so all blocks together take at most about four
//! times as much memory as the largest.

mod block;
mod memory;

#[cfg(feature = "alloc")]
pub use memory::Heap;
pub use memory::TableMemory;

use super::{FunctionPair, MOST_FUNCTIONS, MapError, SortedFunctions};
use crate::sync::{Acquire, AtomicPtr, AtomicUsize, Mutex, Relaxed, Release, const_fn, fence};
use block::{Block, Blocks};
use core::ptr::{NonNull, null_mut};

/// A map from host addresses to device functions, for one device. Any thread may read it at any time, even in a signal
/// handler, and even while another thread replaces the table. A lookup takes no lock, writes nothing, and does not wait
/// for a replacement. (If a replacement ends in the meantime, the lookup is repeated.)
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
    /// The number of tables that have been set so far.
    version: AtomicUsize,
    /// The block in use, or null before the first table is set.
    current: AtomicPtr<Block>,
    /// All blocks. A writer must hold the lock while it replaces the table.
    blocks: Mutex<Blocks>,
    memory: M,
}

#[cfg(feature = "alloc")]
impl FunctionMap<Heap> {
    const_fn! {
        /// Returns an empty map.
        #[allow(clippy::new_without_default)]
        pub fn new() -> Self {
            Self::with_memory(Heap)
        }
    }
}

impl<M: TableMemory> FunctionMap<M> {
    const_fn! {
        /// Returns an empty map whose tables are allocated by `memory`.
        pub fn with_memory(memory: M) -> Self {
            FunctionMap {
                version: AtomicUsize::new(0),
                current: AtomicPtr::new(null_mut()),
                blocks: Mutex::new(Blocks::new()),
                memory,
            }
        }
    }

    /// Returns the device address for a host address, or `None` if no pair has this host address. No pair contains a
    /// null address.
    #[inline]
    pub fn find(&self, host: u64) -> Option<u64> {
        loop {
            // Acquire: synchronizes with the Release store of this version in `replace`, so all writes of the table
            // with this version are visible.
            let version = self.version.load(Acquire);
            // Acquire: synchronizes with the Release store of `current` in `replace`, so the block's contents are
            // visible, even if the block is newer than the version.
            let current = self.current.load(Acquire);
            // SAFETY: blocks live as long as the map.
            let found = unsafe { current.as_ref() }.and_then(|block| block.find(host));
            // If one of the values read above belongs to a later table, the version was changed before that table was
            // written. This fence and the one in `replace` make that change visible now, so the load itself may be
            // Relaxed.
            fence(Acquire);
            if self.version.load(Relaxed) == version {
                return found;
            }
        }
    }

    /// Returns the device address for a host address, or the host address itself if no pair contains it
    /// (`__kmpc_target_translate_fptr`).
    #[inline]
    pub fn translate(&self, host: u64) -> u64 {
        self.find(host).unwrap_or(host)
    }

    /// Replaces the table. The pairs may be in any order, and equal pairs are merged. Waits for any other thread that
    /// is replacing the table, and so must not be called in a signal handler.
    ///
    /// # Errors
    /// [`MapError::TooMany`], [`MapError::NullHost`], [`MapError::NullTarget`], [`MapError::Conflict`] or
    /// [`MapError::NoMemory`]. The previous table then remains in use.
    pub fn set(&self, pairs: &[FunctionPair]) -> Result<(), MapError> {
        // SAFETY: the slice is readable.
        unsafe { self.set_and(NonNull::from(pairs), |_| ()) }
    }

    /// Like [`set`](FunctionMap::set), but also passes the sorted table to `then`, once it is in use and before another
    /// can replace it.
    ///
    /// `pairs` may be a table that an earlier call passed to `then`; this call may overwrite that table's memory.
    ///
    /// # Errors
    /// Same as for [`set`](FunctionMap::set).
    ///
    /// # Safety
    /// The pairs must be readable until this function has copied them.
    #[doc(hidden)]
    pub unsafe fn set_and(
        &self,
        pairs: NonNull<[FunctionPair]>,
        then: impl FnOnce(SortedFunctions<'_>),
    ) -> Result<(), MapError> {
        if pairs.len() > MOST_FUNCTIONS {
            return Err(MapError::TooMany(pairs.len() as u64));
        }
        // Only one writer at a time can hold the lock, and each writer sees the changes that the previous one made to
        // the blocks. SAFETY: the caller upholds the safety contract.
        unsafe { self.replace(&mut self.blocks.lock(), pairs, then) }
    }

    /// Replaces the table. Only a writer that holds the lock may call this function.
    ///
    /// # Safety
    /// Same as for [`set_and`](FunctionMap::set_and).
    unsafe fn replace(
        &self,
        blocks: &mut Blocks,
        pairs: NonNull<[FunctionPair]>,
        then: impl FnOnce(SortedFunctions<'_>),
    ) -> Result<(), MapError> {
        // Relaxed: only writers store this value, and the lock orders the writers.
        let current = self.current.load(Relaxed);
        let block = blocks.spare(pairs.len(), current, &self.memory).ok_or(MapError::NoMemory)?;
        // SAFETY: the block is not in use, so only this writer accesses its pairs, and the block has room for this
        // number of pairs. The caller guarantees that the given pairs are readable.
        let sorted = unsafe {
            // `copy_from` allows the two memory ranges to overlap, as they do if an earlier `then` received the given
            // table in this block. For the same reason `pairs` is a pointer: the memory behind a reference must not be
            // written.
            (*block).pairs.copy_from(pairs.cast().as_ptr(), pairs.len());
            SortedFunctions::new(core::slice::from_raw_parts_mut((*block).pairs, pairs.len()))?
        };
        // This fence follows the version store that took this block out of use, so a reader that sees one of the
        // following writes also sees the changed version.
        fence(Release);
        // SAFETY: as above. A reader may still be using this block, but all fields that it reads are atomic.
        unsafe { (*block).fill(sorted.pairs()) };
        // Release: a reader that obtains the block sees its contents. The version is stored afterwards, so a reader that
        // sees the version also sees this block or a later one.
        self.current.store(block, Release);
        self.version.store(self.version.load(Relaxed).wrapping_add(1), Release);
        then(sorted);
        Ok(())
    }
}

impl<M: TableMemory> Drop for FunctionMap<M> {
    fn drop(&mut self) {
        // SAFETY: `self.memory` allocated the blocks, and no readers remain.
        unsafe { self.blocks.lock().free(&self.memory) }
    }
}

impl<M: TableMemory> core::fmt::Debug for FunctionMap<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Relaxed: no other reads depend on this number.
        f.debug_struct("FunctionMap").field("tables", &self.version.load(Relaxed)).finish_non_exhaustive()
    }
}
