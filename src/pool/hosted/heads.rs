//! Shared hints: list heads for the callees that have no list in a thread's shard, and the rounds of the sweep
//! (`round.rs`).
//!
//! If a thread uses more callees than its shard has lists, the heads of the other lists are here. The thread selects a
//! block, and a hash of the callee and the thread selects a bucket of that block. Threads that use different blocks
//! write different cache lines. An entry is one word, so a reader never sees parts of two list heads:
//!
//! ```text
//!   31          21 20 19                    0
//!   | tag         | 1 | index of the top slot |     0 if the entry is empty
//! ```
//!
//! Threads that use the same block overwrite one another's entries if their hashes collide. A wrong entry costs only
//! time, like every hint (`free_lists.rs`). A thread that makes and frees one trampoline at a time rarely writes to
//! these entries.

use super::round::Round;
use super::slot::INDEX_BITS;
use crate::sync::{Acquire, AtomicU32, Relaxed, Release, atomics, const_fn};

/// The number of blocks, a power of two of at most 16.
pub(super) const BLOCKS: usize = if cfg!(loom) { 1 } else { 16 };
/// The number of buckets in a block, a power of two. The memory of a bucket is not accessed until a callee whose hash
/// selects the bucket has no list in its thread's shard.
const BUCKETS: usize = if cfg!(loom) { 1 } else { 1024 };
/// The number of entries in a bucket. A bucket's entries are in one cache line.
const WAYS: usize = if cfg!(loom) { 1 } else { 4 };

/// The hints that threads share.
pub(crate) struct Heads {
    blocks: [[Bucket; BUCKETS]; BLOCKS],
    /// The round of the threads that use the block of the same number.
    rounds: [Round; BLOCKS],
}

#[repr(align(16))]
struct Bucket([AtomicU32; WAYS]);

/// The place in the array for the head of one thread's list of a callee.
#[derive(Clone, Copy)]
pub(super) struct Home {
    block: usize,
    bucket: usize,
    /// The tag, shifted to its position in an entry. It is never 0, so it does not match an empty entry. An empty
    /// entry must not match, because its index is 0, and slot 0 might not be open yet.
    tag: u32,
}

/// Fibonacci hashing. The upper bits of the result depend on all bits of the value.
#[inline(always)]
pub(super) fn spread(value: u32) -> u32 {
    value.wrapping_mul(0x9e37_79b1)
}

impl Home {
    /// Returns the place for a callee and a thread. `callee` is the callee's tag in the shard, and `thread` is the
    /// thread's number. `block` is the thread's block.
    #[inline(always)]
    pub(super) fn new(callee: u32, thread: u32, block: usize) -> Self {
        // The bits below the tag select the bucket.
        let hash = spread(callee ^ thread);
        let bucket = (hash >> (INDEX_BITS - BUCKETS.ilog2())) as usize % BUCKETS;
        Home { block, bucket, tag: (hash | 1 << INDEX_BITS) & !INDEX }
    }
}

/// A list head: a word that contains a tag (0 in a shard) in its upper bits and the index of the top slot in its lower
/// bits.
#[derive(Clone, Copy)]
pub(crate) struct Head<'a> {
    pub(super) word: &'a AtomicU32,
    pub(super) tag: u32,
    /// The top slot's index, which was read with Acquire.
    pub(super) top: u32,
}

/// A list head in a form that is passed to a function in two registers.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'a> {
    word: &'a AtomicU32,
    entry: u32,
}

/// The bits of an entry that contain an index.
const INDEX: u32 = (1 << INDEX_BITS) - 1;

impl<'a> Packed<'a> {
    /// Returns the list head.
    #[inline(always)]
    pub(super) fn head(self) -> Head<'a> {
        Head { word: self.word, tag: self.entry & !INDEX, top: self.entry & INDEX }
    }
}

impl<'a> Head<'a> {
    /// Returns the list head in a form that can be passed in two registers.
    #[inline(always)]
    pub(crate) fn packed(self) -> Packed<'a> {
        Packed { word: self.word, entry: self.tag | self.top }
    }

    /// Makes the slot with this index the top of the list.
    ///
    /// Release: a thread that reads the index sees the slot's segment, and sees that the slot is open, as this thread
    /// does.
    #[inline(always)]
    pub(super) fn put(&self, index: u32) {
        self.word.store(self.tag | index, Release);
    }
}

impl Heads {
    const_fn! {
        pub(crate) fn new() -> Self {
            Heads {
                blocks: atomics![atomics![Bucket(atomics![AtomicU32::new(0); WAYS]); BUCKETS]; BLOCKS],
                rounds: atomics![Round::new(); BLOCKS],
            }
        }
    }

    fn bucket(&self, home: Home) -> &[AtomicU32; WAYS] {
        &self.blocks[home.block % BLOCKS][home.bucket % BUCKETS].0
    }

    /// Returns the round of the thread that uses a block.
    pub(super) fn round(&self, block: usize) -> &Round {
        &self.rounds[block % BLOCKS]
    }

    /// Returns the list head at `home`, if there is one.
    ///
    /// Acquire: see [`Head::put`].
    #[inline(always)]
    pub(super) fn find(&self, home: Home) -> Option<Head<'_>> {
        self.bucket(home).iter().find_map(|word| {
            let top = word.load(Acquire) ^ home.tag;
            (top <= INDEX).then_some(Head { word, tag: home.tag, top })
        })
    }

    /// Inserts a list head. This thread must know that the slot `top` is open. Uses an empty entry if there is one.
    /// Otherwise replaces the entry that `turn` selects.
    ///
    /// Relaxed: an entry that another thread changes concurrently may be overwritten.
    pub(super) fn insert(&self, home: Home, top: u32, turn: u32) {
        let bucket = self.bucket(home);
        let empty = bucket.iter().find(|word| word.load(Relaxed) == 0);
        // A hash, so that a program that uses its callees in turn does not replace the same entry each time.
        let way = (spread(turn) >> 30) as usize % WAYS;
        let word = empty.unwrap_or(&bucket[way]);
        Head { word, tag: home.tag, top }.put(top);
    }
}
