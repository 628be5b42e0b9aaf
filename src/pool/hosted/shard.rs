//! The shard of a thread: the heads of its free lists (`free_lists.rs`).

use super::bitmap::BITS;
use super::heads::{BLOCKS, Head, Heads, Home, spread};
use super::slot::{Slot, free_after};
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
    /// Makes every thread of the process execute a full memory barrier during this call. Returns false if that is impossible.
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

    /// Returns the place of a callee's list in the shared array.
    #[inline(always)]
    pub(super) fn home(&self, tag: u32) -> Home {
        Home::new(tag, self.number(), self.block())
    }

    /// Returns a number that differs between most threads.
    ///
    /// The thread-local storage of each thread is on different pages. On macOS, the shards are in one array
    /// (`table/shared.rs`). Loom's threads share one shard, whose address differs between runs, but a model must behave
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
    /// Release on the top as well: another thread may still see the old tag together with the new top. Acquire on the old
    /// top: the array passes it on to other threads.
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
