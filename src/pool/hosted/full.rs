//! A record that the table is full, so that a claim can fail without searching all slots again.
//!
//! One word contains this record:
//!
//! ```text
//!   63                             8 7      3   2       1      0
//!   | number of the search          | added  | HOSTS | FULL | ASKED |     0 if nothing is known
//! ```
//!
//! A thread whose claim was rejected sets `ASKED`, makes all threads execute a memory barrier, and reads the state of
//! each slot. If all slots are live, it sets `FULL`. Every thread that frees a slot then reads the word, and stores 0
//! if the word is not 0 already. A thread that claims a slot relies on the word if it contains `FULL`.
//!
//! No claim fails if a slot is free during the whole claim and the function that freed it had returned before the claim
//! began. Proof: the last free of the slot happened before the claim, and the search read either the state that this
//! free stored, or an earlier state. In the first case the search saw a slot that was not live, and did not set `FULL`.
//! In the second case the barrier guarantees that the freeing thread, which stores the state before it reads the word,
//! saw `ASKED` and therefore stored 0. If it did so before the exchange that sets `FULL`, that exchange failed, because
//! each search has a different number. Otherwise the claim sees the 0, or a later value.
//!
//! A free may be interrupted between its two steps and never resumed: a signal handler may leave it with `longjmp`, or
//! another thread may fork a child, which lacks the freeing thread. The slot is then dead, but the word is not reset.
//! Claims therefore rely on the word only [`RELIED`] times before one of them searches again.
//!
//! Freeing a slot needs no barrier instruction, because the operating system makes every thread execute a barrier
//! during the search. If the system cannot do this, nothing is ever recorded, and each claim searches all slots. In a
//! small table that has not grown, each claim also searches all slots, because a search takes less time than the system
//! call.

use super::slot::COMPILER;
use super::{Pool, Table};
use crate::pool::LIVE;
use crate::sync::{Acquire, AtomicU32, AtomicUsize, Relaxed, Release, const_fn, ordered_by_barriers};

const ASKED: usize = 1;
const FULL: usize = 2;
/// The flag that is set together with `FULL` if some slot belongs to compiled code, so that reclaiming might free it.
const HOSTS: usize = 4;
const ADDED_SHIFT: u32 = 3;
/// The unit in which searches are numbered. On 32-bit targets, search numbers wrap after 2^24.
const SEARCH: usize = 1 << 8;

/// Returns whether `word` says that the static table and the given number of added segments are full.
fn is_full(word: usize, added: usize) -> bool {
    (word % SEARCH) & !HOSTS == ASKED | FULL | (added << ADDED_SHIFT)
}

#[repr(C)]
pub(crate) struct Full {
    word: AtomicUsize,
    /// The number of searches that have begun, in units of [`SEARCH`]. It wraps around.
    searches: AtomicUsize,
    /// The number of times that claims have relied on the word, counted from 0 again after [`RELIED`].
    relied: AtomicU32,
}

/// The number of times that claims rely on the word before one of them searches again. A single claim relies on the
/// word up to three times.
const RELIED: u32 = 4096;

impl Full {
    const_fn! {
        pub(crate) fn new() -> Self {
            Full { word: AtomicUsize::new(0), searches: AtomicUsize::new(0), relied: AtomicU32::new(0) }
        }
    }

    /// Resets the record after a slot has been freed.
    ///
    /// Relaxed: the claims that must see the 0 happen after the free. An exchange stores the 0, so that it replaces a
    /// concurrently set `FULL` (a plain store would do so, too, but loom does not model that). The word is written only
    /// if it is not 0.
    #[inline(always)]
    pub(super) fn forget(&self) {
        ordered_by_barriers();
        if self.word.load(Relaxed) != 0 {
            self.word.swap(0, Relaxed);
        }
    }

    /// Begins a search, or joins one that another thread has begun, and returns the word, in which `ASKED` is set.
    /// Returns `None` if the word already says that the table is full, or if another thread has just changed it.
    ///
    /// Relaxed: the barrier follows. `added` is the number of added segments; a word for a smaller table is replaced.
    fn begin(&self, added: usize) -> Option<usize> {
        let old = self.word.load(Relaxed);
        if old & FULL == 0 && old != 0 {
            return Some(old);
        }
        if is_full(old, added) {
            return None;
        }
        let word = self.searches.fetch_add(SEARCH, Relaxed) | ASKED;
        self.word.compare_exchange(old, word, Relaxed, Relaxed).is_ok().then_some(word)
    }

    /// Records that all slots were live, unless a slot was freed during the search. `word` is the result of `begin`.
    ///
    /// Release, paired with Acquire in `known`: a claim that relies on this word returns only after the search has read
    /// the slots, so the search cannot have read a state that was stored after that claim returned.
    fn end(&self, word: usize, added: usize, has_hosts: bool) {
        let found = word | FULL | if has_hosts { HOSTS } else { 0 } | added << ADDED_SHIFT;
        let _ = self.word.compare_exchange(word, found, Release, Relaxed);
    }

    /// Returns `None` if a slot might be free in the table with these segments. Otherwise returns whether some slot
    /// belongs to compiled code.
    fn known(&self, added: impl FnOnce() -> usize) -> Option<bool> {
        let word = self.word.load(Acquire);
        (word & FULL != 0 && is_full(word, added())).then_some(word & HOSTS != 0)
    }

    /// Returns whether a claim must search even though the word says that the table is full. Each call is counted.
    ///
    /// Relaxed: only the frequency of searches depends on the count. In a model, no free is abandoned, so the result is
    /// always false.
    pub(super) fn is_worn(&self) -> bool {
        let relied = self.relied.load(Relaxed);
        let is_worn = !cfg!(loom) && relied >= RELIED;
        self.relied.store(if is_worn { 0 } else { relied.wrapping_add(1) }, Relaxed);
        is_worn
    }
}

// The word has five bits for the number of segments.
static_assertions::const_assert!(super::slot::INDEX_BITS < 1 << (SEARCH.ilog2() - ADDED_SHIFT));

impl<T: Table> Pool<T> {
    /// Returns `None` if some slot might be free. Otherwise returns whether some slot belongs to compiled code.
    #[cold]
    #[inline(never)]
    pub(super) fn has_hosts_if_full(&self) -> Option<bool> {
        self.sweep.full.known(|| self.slots.added())
    }

    /// Records that the table is full, if it is.
    #[cold]
    #[inline(never)]
    pub(super) fn record_full(&self) {
        // The segments are counted first: the search may cover a segment that is added later, but the word does not
        // count that segment.
        let added = self.slots.added();
        if !self.slots.table().has_barrier() || added == 0 && self.slots.table().is_small() {
            return;
        }
        let Some(word) = self.sweep.full.begin(added) else { return };
        if !self.slots.table().barrier() {
            return;
        }
        let mut has_hosts = false;
        let free = self.slots.first_index(&mut |index| {
            let Some(slot) = self.slots.opened(index) else { return true };
            let state = slot.state.load(Relaxed);
            has_hosts |= state & COMPILER != 0;
            state & LIVE == 0
        });
        if free.is_none() {
            self.sweep.full.end(word, added, has_hosts);
        }
    }
}
