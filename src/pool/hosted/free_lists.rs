//! Per-thread free lists: hints that determine which freed slot is reused first.
//!
//! A freed slot is *warm*: it still belongs to its last callee, the only one that may reuse it immediately. Each thread
//! has a *shard*, which contains a list of warm slots for each of the last few callees whose slots the thread freed. A
//! hash of the thread pointer selects the shard (`src/table/thread.rs`). The heads of the lists for all other callees
//! are in an array shared by all threads (`heads.rs`):
//!
//! ```text
//!   shard of a thread: frees, lists
//!                              |-- callee f: top -> slot 7 -> slot 3 -> slot 9
//!                              '-- callee g: top -> slot 64
//!   heads
//!     |-- the thread's callee h: top -> slot 12 -> slot 5
//!     '-- another thread's callee f: top -> slot 31
//! ```
//!
//! The top of a list may be live (claimed and not yet freed); the slots below it are warm. A program that alternately
//! makes and frees a trampoline for one callee therefore changes no list after the first free. In a deep recursion,
//! each claim moves the top one slot down the list, and each free moves it one slot back up. The shard counts every
//! free.
//!
//! Every free sets the `ON_TOP` flag of its slot (`slot.rs`). A live slot loses the flag when another slot becomes the
//! top; a dead slot below the top keeps the flag, because a claim makes that slot the top again. Freeing a slot that
//! has the flag neither changes nor searches a list. The flag is kept even if the list head is replaced, either by
//! another thread or because this thread uses more callees than there are list heads. A slot freed after such a
//! replacement is on no list, so only the sweep finds it. If the list's thread exits before another thread frees the
//! slot, a later thread with the same shard may also find the slot.
//!
//! In a recursion, the claim of one slot and the free of another are only a few instructions apart, so each operation
//! loads words that the other has just stored. AMD Zen 4 predicts which store such a load depends on, but remembers
//! only about a dozen load-store pairs; code with more pairs takes twice as long. These functions therefore avoid
//! unneeded loads, and do not store to a word whose value would not change.
//!
//! Any list, flag or count may be wrong: a signal handler may run between two stores, a sweep may have given a listed
//! slot to another callee, and two threads may share a shard, as all threads do in a model. Only the state word decides
//! who owns a slot (`slot.rs`): a wrong list costs only time, and the sweep finds any slot that is no longer on any
//! list. When a thread exits, its shard is left for a later thread (on Windows, it is freed with the thread). An
//! exiting thread need not give back any slots, even on Windows.

use super::bitmap::BITS;
use super::heads::{BLOCKS, Heads, Home, INDEX, spread};
use super::segments::Find;
use super::slot::{Slot, Unrevived, free_after};
use crate::pool::{Generation, LIVE, Owner};
use crate::sync::{Acquire, AtomicU32, Relaxed, Release, atomics, const_fn};

/// The number of lists in a shard. The list heads for additional callees are in [`Heads`].
const LISTS: usize = if cfg!(loom) { 1 } else { 2 };

/// The free lists of a thread.
#[repr(C)]
pub(crate) struct Shard {
    /// The number of the latest free counted in this shard. The number can decrease if two threads share the shard, or
    /// if a signal handler runs between the load and the store. Whatever its value, `free_after` gives each free of a
    /// slot a later number than the slot's previous free.
    frees: AtomicU32,
    lists: [FreeList; LISTS],
    /// The last unused index that this thread took from a bitmap. The thread's next search begins at this index.
    last_unused: AtomicU32,
}

/// A list of slots, empty while `tag` is 0. All slots except the top are warm, and the top is warm or live.
#[repr(C)]
pub(super) struct FreeList {
    /// The top slot's index. It is stored before the tag, so a thread that sees a tag can use the index. Each store is
    /// a Release that follows the opening of the slot, so an Acquire load of the index makes the open slot and its
    /// segment visible, no matter which callee the tag belonged to.
    top: AtomicU32,
    /// The callee's tag (see [`tag`]), which identifies the list. The slots themselves contain the callee's full
    /// address.
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
        #[cfg_attr(all(windows, not(any(test, loom))), expect(dead_code, reason = "thread-local storage is initially zero"))]
        pub(crate) fn new() -> Self {
            Shard {
                frees: AtomicU32::new(0),
                lists: atomics![FreeList::new(); LISTS],
                last_unused: AtomicU32::new(0),
            }
        }
    }

    /// Resets the count of frees to its value on a new thread.
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
    /// Acquire for the tag: the thread that stored the tag had already stored a top. Acquire for the top: see
    /// [`Head::put`].
    #[inline(always)]
    pub(super) fn own(&self, tag: u32) -> Option<Head<'_>> {
        let list = self.lists.iter().find(|list| list.tag.load(Acquire) == tag)?;
        Some(Head { word: &list.top, tag: 0, top: list.top.load(Acquire) })
    }

    /// Returns the list of a callee, if it is in this shard or, with `SHARED`, in the shared array.
    #[inline(always)]
    pub(super) fn list<'a, const SHARED: bool>(
        &'a self,
        heads: &'a Heads,
        callee: *const (),
    ) -> Option<Head<'a>> {
        if cfg!(strict_reuse) {
            return None;
        }
        let tag = tag(callee);
        let own = self.own(tag);
        if SHARED { own.or_else(|| heads.find(self.home(tag))) } else { own }
    }

    /// Returns the position of a callee's list in the shared array.
    #[inline(always)]
    pub(super) fn home(&self, tag: u32) -> Home {
        Home::new(tag, self.number(), self.block())
    }

    /// Returns a number that differs between most threads.
    ///
    /// The shards are in one array (`table/thread.rs`), except on Windows, where each thread's storage is on different
    /// pages. Loom's threads share one shard. Its address differs between runs, but a model must behave identically in
    /// every run.
    #[inline(always)]
    fn number(&self) -> u32 {
        let shift = if cfg!(windows) { 12 } else { 5 };
        if cfg!(loom) { 0 } else { (core::ptr::from_ref(self).addr() >> shift) as u32 }
    }

    /// Returns which block of the shared hints ([`Heads`]) this thread uses.
    #[inline(always)]
    pub(super) fn block(&self) -> usize {
        // The number is a hash, because the shards (on Windows, the thread-local storage areas) are regularly spaced.
        (spread(self.number()) >> 28) as usize % BLOCKS
    }

    /// Makes a list of one slot for a callee that has no list. The list takes an empty list head if the shard has one.
    /// Otherwise it replaces another callee's list, which moves to the shared array.
    ///
    /// Release for the top as well, because another thread may still see the old tag with the new top. Acquire for the
    /// old top, because other threads will read it from the array.
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

    /// Returns the word at which this thread begins to search a bitmap for an unused index. The bitmap has `words`
    /// words, and its first bit represents index `first`. If the bitmap covers the last unused index that this thread
    /// took, returns that index's word, so that full words are not searched again. Otherwise the result depends on the
    /// shard's address, so that most threads begin at different words.
    ///
    /// Relaxed, here and in `took_unused`: a search may begin at any word.
    pub(crate) fn start(&self, first: u32, words: usize) -> usize {
        let last = self.last_unused.load(Relaxed);
        let word = last.wrapping_sub(first) as usize / BITS;
        if last != 0 && word < words {
            return word;
        }
        // Fibonacci hashing, because the addresses may be regularly spaced. Loom's threads share one shard. Its address
        // differs between runs, but a model must behave identically in every run.
        let address = if cfg!(loom) { 0 } else { core::ptr::from_ref(self).addr() as u64 };
        let hash = address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        ((hash * words as u64) >> 32) as usize
    }

    /// Records that this thread has taken an unused index.
    pub(crate) fn took_unused(&self, index: u32) {
        self.last_unused.store(index, Relaxed);
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

/// A list head, represented so that it is passed in two registers.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'a> {
    word: &'a AtomicU32,
    entry: u32,
}

impl<'a> Packed<'a> {
    /// Returns the list head.
    #[inline(always)]
    pub(super) fn head(self) -> Head<'a> {
        Head { word: self.word, tag: self.entry & !INDEX, top: self.entry & INDEX }
    }
}

impl<'h> Head<'h> {
    /// Returns the list head, represented so that it is passed in two registers.
    #[inline(always)]
    pub(crate) fn packed(self) -> Packed<'h> {
        Packed { word: self.word, entry: self.tag | self.top }
    }

    /// Makes the slot with this index the top of the list.
    ///
    /// Release: a thread that reads the index also sees the segment and the open slot, as this thread does.
    #[inline(always)]
    pub(super) fn put(&self, index: u32) {
        self.word.store(self.tag | index, Release);
    }

    /// Takes a slot whose last callee was `callee`. Returns the slot, its index and its generation.
    ///
    /// The top was read with Acquire, and the thread that stored it knew that the slot was open. The index below the
    /// top is read with Relaxed, so `opened` checks that its slot is open.
    #[inline(always)]
    pub(super) fn pop<'a>(
        self,
        slots: impl Find<'a>,
        callee: *const (),
        owner: Owner,
    ) -> Option<(u32, &'a Slot, Generation)> {
        let slot = slots.listed(self.top)?;
        match slot.revive(callee, owner) {
            Ok(generation) => return Some((self.top, slot, generation)),
            // Usually, the sweep has given other callees the top slot and the slots below it, which have been dead
            // longer.
            Err(Unrevived::OfAnother) => return None,
            Err(Unrevived::Live) => {}
        }
        // The top slot is live, for example in a recursion, so the slot below it becomes the top. Another thread may
        // change the flags concurrently; they are hints.
        let below = slot.leave_top();
        let lower = slots.opened(below)?;
        let generation = lower.revive(callee, owner).ok()?;
        self.put(below);
        Some((below, lower, generation))
    }

    /// Puts a slot that is about to be freed on top of this list. Returns false, without changing anything, if `slots`
    /// does not find the current top slot.
    ///
    /// The top was read with Acquire, so its slot is open and may be read. Relaxed for the other loads: the state of
    /// the top and the index below it are hints.
    #[inline(always)]
    pub(super) fn push<'a>(self, slots: impl Find<'a>, index: u32, slot: &Slot) -> bool {
        if self.top == index {
            slot.put_on_top(slot.index_below());
            return true;
        }
        // A live top slot is removed from the list; the slots below it remain.
        let Some(above) = slots.listed(self.top) else { return false };
        let mut below = self.top;
        if above.state.load(Relaxed) & LIVE != 0 {
            let rest = above.leave_top();
            below = if rest == self.top { index } else { rest };
        }
        slot.put_on_top(below);
        self.put(index);
        true
    }
}
