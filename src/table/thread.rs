//! The shards, which contain each thread's free lists and are initially zero.
//!
//! A hash of the thread pointer selects the thread's shard from an array. A shard contains only hints, so several
//! threads may share one (`src/tests/models/lists.rs`). Shards in thread-local storage would never be shared. However,
//! a library that is loaded after startup would need the initial-exec model (ELF Handling for Thread-Local Storage,
//! section 4.3.6), because the general-dynamic model may allocate memory, which a signal handler must not do. With the
//! initial-exec model, libc places all of the library's thread-local storage in a small reserve, including the storage
//! that other code in the library uses, and musl rejects the library. In a program, such storage would save two
//! instructions for each access, but the archive is compiled once for programs and libraries.
//!
//! On Windows, shards are in thread-local storage, because each added segment is a separate image, and would contain an
//! array of its own.

use super::{Dead, StaticTable};
use crate::pool::hosted::{Heads, Shard, Shards};

// Each thread gets a copy of the `.tls$` section when the thread starts or, if the library is loaded later, when the
// library is loaded.
#[cfg(windows)]
core::arch::global_asm!(
    ".pushsection .tls$,\"dw\"",
    ".balign {align}",
    concat!(".globl ", crate::arch::symbols::__symbol!("shard")),
    concat!(crate::arch::symbols::__symbol!("shard"), ":"),
    ".skip {size}",
    ".popsection",
    align = const align_of::<Shard>(),
    size = const size_of::<Shard>(),
);

/// The base-2 logarithm of the number of shards. With 32,768 shards, two of 64 threads share one in at most 6 % of all
/// runs (`src/tests/shards.rs`). A thread accesses only the page of its own shard, so pages without shards in use take
/// no memory.
#[cfg(not(windows))]
const BITS: u32 = 15;

/// The number of low bits of a hash that are ignored. The higher bits depend on all address bits in which the thread
/// pointers of two threads usually differ.
#[cfg(not(windows))]
const IGNORED: u32 = 24;

/// All shards. The first shard is 20 bytes after a multiple of 32. Slots are 32 bytes long, so if shards were aligned
/// to 32 bytes, the shard words that an operation writes and the slot words that it reads next could have the same
/// offset in their pages. A processor that compares only these offsets would delay the loads. The count of frees and
/// the first list of each shard are in one cache line.
#[cfg(not(windows))]
#[repr(C, align(32))]
struct AllShards {
    before: [u8; 20],
    shards: [OwnShard; 1 << BITS],
}

/// A shard, padded with 8 bytes so that computing its address needs no multiplication.
#[cfg(not(windows))]
#[repr(C)]
struct OwnShard {
    shard: Shard,
    unused: [u8; 8],
}

#[cfg(not(windows))]
static SHARDS: AllShards = AllShards {
    before: [0; 20],
    shards: [const { OwnShard { shard: Shard::new(), unused: [0; 8] } }; 1 << BITS],
};

/// Returns the distance in bytes from the first shard to the shard for a hash (`crate::arch::thread_hash`). The distance
/// consists of bits of the hash, so two instructions compute it.
#[cfg(not(windows))]
#[inline(always)]
pub(crate) fn shard_offset(hash: u64) -> usize {
    const SIZE: usize = size_of::<OwnShard>();
    (hash >> (IGNORED - SIZE.ilog2())) as usize & (SIZE * ((1 << BITS) - 1))
}

impl<D: Dead> Shards for StaticTable<D> {
    #[cfg(not(windows))]
    #[inline(always)]
    fn shard(&self) -> &Shard {
        // SAFETY: the distance is a multiple of a shard's size, and below the size of the array.
        unsafe { &(*SHARDS.shards.as_ptr().byte_add(shard_offset(crate::arch::thread_hash()))).shard }
    }

    #[cfg(windows)]
    #[inline(always)]
    fn shard(&self) -> &Shard {
        let shard: *const Shard =
            core::ptr::with_exposed_provenance(crate::arch::address_of_thread!("shard"));
        // SAFETY: each thread has these bytes, aligned as above, as long as it runs. They are initially zero, and
        // zeroes are a valid shard. A shard consists of atomics, so it may be used concurrently by a signal handler, or
        // by a thread that shares this thread's TEB. The reference is not kept after the pool's function returns.
        unsafe { &*shard }
    }

    #[inline(always)]
    fn heads(&self) -> &Heads {
        &super::HEADS
    }

    #[inline(always)]
    fn has_barrier(&self) -> bool {
        cfg!(target_os = "linux")
    }

    #[inline(always)]
    fn is_small(&self) -> bool {
        crate::pool::SLOTS <= 1024
    }

    #[cfg(target_os = "linux")]
    fn barrier(&self) -> bool {
        crate::os::system::membarrier()
    }
}
