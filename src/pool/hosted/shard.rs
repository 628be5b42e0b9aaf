//! What each thread keeps for itself: the heads of its free lists (`free_lists.rs`).

use super::bitmap::BITS;
use super::slot::{Slot, death_of};
use crate::sync::{Acquire, AtomicU32, Relaxed, Release, atomics, const_fn};

/// As many as fit into 64 bytes with the rest.
const LISTS: usize = if cfg!(loom) { 1 } else { 6 };

/// Where the running thread keeps its shard.
pub(crate) trait Shards {
    /// That of the running thread. A thread's first is [`Shard::new`], or zeroes, which are the same.
    fn shard(&self) -> &Shard;
}

/// The free lists of a thread.
#[repr(C)]
pub(crate) struct Shard {
    /// The number of the latest death here. Two threads that share the shard, or a handler
    /// that comes between load and store, may set it back; what counts is that each death of
    /// a slot has a later number than the one before, whatever stands here.
    deaths: AtomicU32,
    lists: [FreeList; LISTS],
    /// The index that this thread took last from a bitmap of unused ones: where it goes on to look.
    last_unused: AtomicU32,
}

/// A list of warm slots, empty while `tag` is 0.
pub(super) struct FreeList {
    /// Low half of the callee's address: enough to find a list; whether a slot fits is read from the slot.
    tag: AtomicU32,
    /// The top slot's index. Stored before the tag, so whoever sees a tag may use it. Each
    /// store is a Release, after the slot was opened: whoever reads it by an Acquire sees that
    /// the slot is open, and sees its segment, whatever callee the tag stood for.
    pub(super) top: AtomicU32,
}

/// Low half of the address; odd, so never 0.
#[inline(always)]
pub(super) fn tag(callee: *const ()) -> u32 {
    callee.addr() as u32 | 1
}

impl FreeList {
    const_fn! { fn new() -> Self { FreeList { tag: AtomicU32::new(0), top: AtomicU32::new(0) } } }
}

impl Shard {
    const_fn! {
        #[cfg_attr(not(any(test, loom, target_os = "macos")), expect(dead_code, reason = "a thread's storage begins as zeroes"))]
        pub(crate) fn new() -> Self {
            Shard {
                deaths: AtomicU32::new(0),
                lists: atomics![FreeList::new(); LISTS],
                last_unused: AtomicU32::new(0),
            }
        }
    }

    #[inline(always)]
    pub(super) fn count_death(&self, generation: u32) -> u32 {
        let death = death_of(generation, self.deaths.load(Relaxed));
        self.deaths.store(death, Relaxed);
        death
    }

    /// Acquire: whoever stored the tag had put a slot on top before.
    #[inline(always)]
    pub(super) fn list(&self, tag: u32) -> Option<&FreeList> {
        self.lists.iter().find(|list| list.tag.load(Acquire) == tag)
    }

    /// A list of one slot, for a callee that has none: an empty list, else one that
    /// gives way.
    ///
    /// Release on the top, too: another thread may still see the old tag, and the new top.
    #[cold]
    pub(super) fn new_list(&self, tag: u32, index: u32, slot: &Slot, turn: u32) {
        let empty = self.lists.iter().find(|list| list.tag.load(Relaxed) == 0);
        let list = empty.unwrap_or(&self.lists[turn as usize % LISTS]);
        slot.below.store(index, Relaxed);
        list.top.store(index, Release);
        list.tag.store(tag, Release);
    }

    /// The word of a bitmap in which this thread goes on to look for an unused index, of the bitmap that has so many words
    /// and begins with the index `first`: that in which it found the last, so that it does not pass the full ones each
    /// time; else one that differs between most threads.
    ///
    /// Relaxed, also below: a word of a bitmap is as good as another.
    pub(crate) fn start(&self, first: u32, words: usize) -> usize {
        let last = self.last_unused.load(Relaxed);
        let word = last.wrapping_sub(first) as usize / BITS;
        if last != 0 && word < words {
            return word;
        }
        // Fibonacci hashing: the storage of threads lies at regular distances. loom's threads share one shard, whose address differs
        // from run to run, while a model has to do the same each time.
        let address = if cfg!(loom) { 0 } else { core::ptr::from_ref(self).addr() as u64 };
        let hash = address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        ((hash * words as u64) >> 32) as usize
    }

    /// This thread has taken an unused index.
    pub(crate) fn took_unused(&self, index: u32) {
        self.last_unused.store(index, Relaxed);
    }
}
