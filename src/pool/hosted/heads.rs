//! The heads of the free lists (`free_lists.rs`): those that each thread keeps in its shard, and those that all threads
//! share.
//!
//! If a thread uses more callees than its shard has lists, the heads of the other lists are in an array that threads
//! share. The thread selects a block, and a hash of the callee and the thread selects a bucket of that block. Threads
//! that use different blocks write different cache lines. An entry is one word, so a reader never sees parts of two
//! list heads:
//!
//! ```text
//!   31          21 20 19                    0
//!   | tag         | 1 | index of the top slot |     0 if the entry is empty
//! ```
//!
//! Threads that use the same block overwrite one another's entries if their hashes collide. A wrong entry costs only
//! time, like every hint (`free_lists.rs`). A thread that makes and frees one trampoline at a time rarely writes to
//! these entries.

use super::bitmap::BITS;
use super::round::Round;
use super::slot::{INDEX_BITS, Slot, free_after};
use crate::sync::{Acquire, AtomicU32, Relaxed, Release, atomics, const_fn};

/// The number of lists in a shard. The heads of the lists for further callees are in [`Heads`].
const LISTS: usize = if cfg!(loom) { 1 } else { 2 };

/// Access to the list heads, and a memory barrier on all threads.
pub(crate) trait Shards {
    /// Returns the running thread's shard. The shard is initially [`Shard::new`], which consists of zeroes.
    fn shard(&self) -> &Shard;
    /// Returns the array of list heads that all threads share. It is initially [`Heads::new`].
    fn heads(&self) -> &Heads;
    /// Whether [`barrier`](Shards::barrier) may succeed.
    #[inline(always)]
    fn has_barrier(&self) -> bool {
        false
    }
    /// Whether the static table is so small that a search of all its slots is cheaper than a system call.
    #[inline(always)]
    fn is_small(&self) -> bool {
        false
    }
    /// Makes every thread of the process execute a full memory barrier during this call. Returns false if that is
    /// impossible.
    fn barrier(&self) -> bool {
        false
    }
}

/// The free lists of a thread.
#[repr(C)]
pub(crate) struct Shard {
    /// The number of the latest free counted in this shard. Two threads that share the shard, or a signal handler that
    /// runs between load and store, may decrease it. Whatever the value of this word, `free_after` gives each free of a
    /// slot a later number than the slot's previous free.
    frees: AtomicU32,
    lists: [FreeList; LISTS],
    /// The last unused index that this thread took from a bitmap. Its next search begins there.
    last_unused: AtomicU32,
}

/// A list of slots, empty while `tag` is 0. All slots except the top are warm, and the top is warm or live.
#[repr(C)]
pub(super) struct FreeList {
    /// The top slot's index. It is stored before the tag, so a thread that sees a tag may use the index. Each store is
    /// a Release store that follows the opening of the slot. An Acquire load that reads the index therefore sees that
    /// the slot is open, and sees its segment, no matter which callee the tag belonged to.
    top: AtomicU32,
    /// The tag of the callee (see [`tag`]), which identifies the list. The slots themselves contain the callee's
    /// whole address.
    tag: AtomicU32,
}

/// Returns the tag for a callee: the low 32 bits of its address, made odd so that the tag is never 0.
#[inline(always)]
pub(super) fn tag(callee: *const ()) -> u32 {
    callee.addr() as u32 | 1
}

impl FreeList {
    const_fn! { fn new() -> Self { FreeList { tag: AtomicU32::new(0), top: AtomicU32::new(0) } } }
}

impl Shard {
    const_fn! {
        #[cfg_attr(not(any(test, loom, target_os = "macos")), expect(dead_code, reason = "thread-local storage is initially zero"))]
        pub(crate) fn new() -> Self {
            Shard {
                frees: AtomicU32::new(0),
                lists: atomics![FreeList::new(); LISTS],
                last_unused: AtomicU32::new(0),
            }
        }
    }

    /// Makes the next free count like the first one of a new thread.
    #[cfg(all(test, not(loom)))]
    pub(crate) fn forget_frees(&self) {
        self.frees.store(0, Relaxed);
    }

    #[inline(always)]
    pub(super) fn count_free(&self, generation: u32) -> u32 {
        let last_free = free_after(generation, self.frees.load(Relaxed));
        self.frees.store(last_free, Relaxed);
        last_free
    }

    /// Returns the list of a callee in this shard.
    ///
    /// Acquire for the tag: the thread that stored the tag stored a top first. Acquire for the top: see
    /// [`Head::put`].
    #[inline(always)]
    pub(super) fn own(&self, tag: u32) -> Option<Head<'_>> {
        let list = self.lists.iter().find(|list| list.tag.load(Acquire) == tag)?;
        Some(Head { word: &list.top, tag: 0, top: list.top.load(Acquire) })
    }

    /// Returns the position of a callee's list in the shared array.
    #[inline(always)]
    pub(super) fn home(&self, tag: u32) -> Home {
        Home::new(tag, self.number(), self.block())
    }

    /// Returns a number that differs between most threads.
    ///
    /// The thread-local storage of each thread is on different pages. On macOS, the shards are in one array
    /// (`table/thread.rs`). Loom's threads share one shard, whose address differs between runs, but a model must behave
    /// identically in each run.
    #[inline(always)]
    fn number(&self) -> u32 {
        let shift = if cfg!(target_os = "macos") { 7 } else { 12 };
        if cfg!(loom) { 0 } else { (core::ptr::from_ref(self).addr() >> shift) as u32 }
    }

    /// Returns the number of the block of shared hints that this thread uses ([`Heads`]).
    #[inline(always)]
    pub(super) fn block(&self) -> usize {
        // A hash, because the thread-local storage areas are at regular distances.
        (spread(self.number()) >> 28) as usize % BLOCKS
    }

    /// Makes a list of one slot for a callee that has no list. Uses an empty list if there is one. Otherwise takes
    /// over the list of another callee, and moves that callee's list to the shared array.
    ///
    /// Release on the top as well: another thread may still see the old tag together with the new top. Acquire on the
    /// old top: the array passes it on to other threads.
    #[cold]
    #[inline(never)]
    pub(super) fn new_list(&self, heads: &Heads, tag: u32, index: u32, slot: &Slot, turn: u32) {
        let empty = self.lists.iter().find(|list| list.tag.load(Relaxed) == 0);
        let list = empty.unwrap_or_else(|| {
            let list = &self.lists[turn as usize % LISTS];
            heads.insert(self.home(list.tag.load(Acquire)), list.top.load(Acquire), turn);
            list
        });
        slot.put_on_top(index);
        list.top.store(index, Release);
        list.tag.store(tag, Release);
    }

    /// Returns the word of a bitmap at which this thread begins its search for an unused index. The bitmap has
    /// `words` words, and its first bit stands for the index `first`. If the bitmap contains the last unused index
    /// that this thread took, the result is the word of that index, so that full words are not searched again each
    /// time. Otherwise the result depends on the shard's address, so that most threads begin at different words.
    ///
    /// Relaxed, here and in `took_unused`: a search may begin at any word.
    pub(crate) fn start(&self, first: u32, words: usize) -> usize {
        let last = self.last_unused.load(Relaxed);
        let word = last.wrapping_sub(first) as usize / BITS;
        if last != 0 && word < words {
            return word;
        }
        // Fibonacci hashing, because the thread-local storage areas are at regular distances. Loom's threads share
        // one shard, whose address differs between runs, but a model must behave identically in each run.
        let address = if cfg!(loom) { 0 } else { core::ptr::from_ref(self).addr() as u64 };
        let hash = address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        ((hash * words as u64) >> 32) as usize
    }

    /// Records that this thread has taken an unused index.
    pub(crate) fn took_unused(&self, index: u32) {
        self.last_unused.store(index, Relaxed);
    }
}

/// The number of blocks, a power of two of at most 16.
pub(super) const BLOCKS: usize = if cfg!(loom) { 1 } else { 16 };
/// The number of buckets in a block, a power of two. The memory of a bucket is not accessed until a callee whose hash
/// selects the bucket has no list in its thread's shard.
const BUCKETS: usize = if cfg!(loom) { 1 } else { 1024 };
/// The number of entries in a bucket. A bucket's entries are in one cache line.
const BUCKET_LEN: usize = if cfg!(loom) { 1 } else { 4 };

/// The hints that threads share.
pub(crate) struct Heads {
    blocks: [[Bucket; BUCKETS]; BLOCKS],
    /// The round of the threads that use the block of the same number.
    rounds: [Round; BLOCKS],
}

#[repr(align(16))]
struct Bucket([AtomicU32; BUCKET_LEN]);

/// The position in the array of the head of one thread's list of a callee.
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
        let number = (spread(turn) >> 30) as usize % BUCKET_LEN;
        let word = empty.unwrap_or(&bucket[number]);
        Head { word, tag: home.tag, top }.put(top);
    }
}
