//! The heads of those free lists that have none in a thread's shard (`free_lists.rs`). All threads share these heads.
//!
//! If a thread uses more callees than its shard has lists, the heads of the additional lists are in an array that all
//! threads share. The thread selects a block of the array, and a hash of callee and thread selects a bucket in that
//! block. Threads that use different blocks write to different cache lines. An entry is one word, so a reader never
//! sees parts of two list heads:
//!
//! ```text
//!   31          21 20 19                    0
//!   | tag         | 1 | index of the top slot |     0 if the entry is empty
//! ```
//!
//! Threads with the same block overwrite one another's entries if their hashes collide. Like every hint
//! (`free_lists.rs`), a wrong entry costs only time. A thread that makes and frees one trampoline at a time rarely
//! writes here.

use super::free_lists::{Head, Shard};
use super::round::Round;
use super::slot::INDEX_BITS;
use crate::sync::{Acquire, AtomicU32, Relaxed, atomics, const_fn};

/// Access to the list heads, and a memory barrier that all threads execute.
pub(crate) trait Shards {
    /// Returns the running thread's shard. Its initial value is [`Shard::new`], all zeroes.
    fn shard(&self) -> &Shard;
    /// Returns the list heads that all threads share. Their initial value is [`Heads::new`].
    fn heads(&self) -> &Heads;
    /// Returns whether [`barrier`](Shards::barrier) can succeed.
    #[inline(always)]
    fn has_barrier(&self) -> bool {
        false
    }
    /// Returns whether the static table is so small that a search of all its slots is cheaper than a system call.
    #[inline(always)]
    fn is_small(&self) -> bool {
        false
    }
    /// Makes every thread of the process execute a full memory barrier during this call. Returns false if the system
    /// cannot do this.
    fn barrier(&self) -> bool {
        false
    }
}

/// The bits of an entry that contain an index.
pub(super) const INDEX: u32 = (1 << INDEX_BITS) - 1;

/// The number of blocks, a power of two of at most 16.
pub(super) const BLOCKS: usize = if cfg!(loom) { 1 } else { 16 };
/// The number of buckets in a block, a power of two. A bucket's memory is not accessed until a callee that hashes to
/// the bucket has no list in its thread's shard.
const BUCKETS: usize = if cfg!(loom) { 1 } else { 1024 };
/// The number of entries in a bucket, all in one cache line.
const BUCKET_LEN: usize = if cfg!(loom) { 1 } else { 4 };

/// The hints shared by all threads.
pub(crate) struct Heads {
    blocks: [[Bucket; BUCKETS]; BLOCKS],
    /// One round per block, shared by the threads that use the block.
    rounds: [Round; BLOCKS],
}

#[repr(align(16))]
struct Bucket([AtomicU32; BUCKET_LEN]);

/// The position in the array of the head of a thread's list for a callee.
#[derive(Clone, Copy)]
pub(super) struct Home {
    block: usize,
    bucket: usize,
    /// The tag, shifted to its position in an entry. It is never 0, so it never matches an empty entry. The index in an
    /// empty entry is 0, and slot 0 might not be open yet.
    tag: u32,
}

/// Returns a Fibonacci hash: its upper bits depend on every bit of the value.
#[inline(always)]
pub(super) fn spread(value: u32) -> u32 {
    value.wrapping_mul(0x9e37_79b1)
}

impl Home {
    /// Returns the position for a callee and a thread. `callee` is the callee's tag in the shard; `thread` and `block`
    /// are the thread's number and block.
    #[inline(always)]
    pub(super) fn new(callee: u32, thread: u32, block: usize) -> Self {
        // The bits below the tag select the bucket.
        let hash = spread(callee ^ thread);
        let bucket = (hash >> (INDEX_BITS - BUCKETS.ilog2())) as usize % BUCKETS;
        Home { block, bucket, tag: (hash | 1 << INDEX_BITS) & !INDEX }
    }
}

impl Heads {
    const_fn! {
        pub(crate) fn new() -> Self {
            Heads {
                blocks: atomics![atomics![Bucket(atomics![AtomicU32::new(0); BUCKET_LEN]); BUCKETS]; BLOCKS],
                rounds: atomics![Round::new(); BLOCKS],
            }
        }
    }

    fn bucket(&self, home: Home) -> &[AtomicU32; BUCKET_LEN] {
        &self.blocks[home.block % BLOCKS][home.bucket % BUCKETS].0
    }

    /// Returns the round of the thread that uses a block.
    pub(super) fn round(&self, block: usize) -> &Round {
        &self.rounds[block % BLOCKS]
    }

    /// Returns the list head at `home`, if it exists.
    ///
    /// Acquire: see [`Head::put`].
    #[inline(always)]
    pub(super) fn find(&self, home: Home) -> Option<Head<'_>> {
        self.bucket(home).iter().find_map(|word| {
            let top = word.load(Acquire) ^ home.tag;
            (top <= INDEX).then_some(Head { word, tag: home.tag, top })
        })
    }

    /// Inserts a list head into an empty entry or, if no entry is empty, replaces the entry that `turn` selects. This
    /// thread must know that the slot `top` is open.
    ///
    /// Relaxed: another thread's concurrent change may be overwritten.
    pub(super) fn insert(&self, home: Home, top: u32, turn: u32) {
        let bucket = self.bucket(home);
        let empty = bucket.iter().find(|word| word.load(Relaxed) == 0);
        // `turn` is hashed, so that a program that cycles through its callees does not replace the same entry each
        // time.
        let number = (spread(turn) >> 30) as usize % BUCKET_LEN;
        let word = empty.unwrap_or(&bucket[number]);
        Head { word, tag: home.tag, top }.put(top);
    }
}
