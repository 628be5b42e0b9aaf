//! Knowledge that the table is full, so that a claim is rejected without another search of all slots.
//!
//! One word records it:
//!
//! ```text
//!   63                             8 7      3   2       1      0
//!   | number of the search          | added  | HOSTS | FULL | ASKED |     0 if nothing is known
//! ```
//!
//! A thread whose claim was rejected sets `ASKED`, makes all threads execute a memory barrier, and reads the state of each slot.
//! If all slots are live, it sets `FULL`. A thread that frees a slot then reads the word and, unless the word is 0, stores 0.
//! A thread that claims a slot believes the word if it contains `FULL`.
//!
//! Let a slot be free during a whole claim. Its last free happened before the claim, and the search either read the state that this
//! free stored or an earlier one. In the first case the slot was not live, so the search did not set `FULL`. In the second
//! case the barrier guarantees that the freeing thread, which stores the state first and reads the word afterwards, saw `ASKED`.
//! So it stored 0. If that happened before `FULL` was to be set, the exchange failed, because each search has another number.
//! Otherwise the claim sees the 0, or a later value.
//!
//! The freeing thread executes no barrier instruction: the system makes it execute one during the search. If the system cannot do
//! that, nothing is ever recorded, and each claim searches all slots. The same holds for a small table that has not grown, so that a
//! program with such a table makes no system call.

use super::slot::COMPILER;
use super::{Pool, Table};
use crate::pool::LIVE;
use crate::sync::{Acquire, AtomicUsize, Relaxed, Release, const_fn, ordered_by_barriers};

const ASKED: usize = 1;
const FULL: usize = 2;
/// Set with `FULL` if some slot belongs to compiled code, and may therefore be reclaimed.
const HOSTS: usize = 4;
const ADDED_SHIFT: u32 = 3;
/// The unit in which searches are numbered. On 32-bit targets, a number recurs after 2^24 searches.
const SEARCH: usize = 1 << 8;

/// Whether a word says that the static table and the given number of added segments are full.
fn is_full(word: usize, added: usize) -> bool {
    (word % SEARCH) & !HOSTS == ASKED | FULL | (added << ADDED_SHIFT)
}

#[repr(C)]
pub(crate) struct Full {
    word: AtomicUsize,
    /// The number of searches that have begun, in units of [`SEARCH`]; wraps.
    searches: AtomicUsize,
}

impl Full {
    const_fn! {
        pub(crate) fn new() -> Self {
            Full { word: AtomicUsize::new(0), searches: AtomicUsize::new(0) }
        }
    }

    /// Forgets what is known, after a slot was freed.
    ///
    /// Relaxed: the claims that must see the 0 happen after the free. An exchange, so that the 0 replaces a `FULL` that is set
    /// concurrently (a store would, too, but loom does not know that). The word is written only if something is known.
    #[inline(always)]
    pub(super) fn forget(&self) {
        ordered_by_barriers();
        if self.word.load(Relaxed) != 0 {
            self.word.swap(0, Relaxed);
        }
    }

    /// Begins a search: the word, which contains `ASKED`. A search that another thread has begun is continued.
    ///
    /// Relaxed: the barrier follows. `added` is the number of segments. A word about a smaller table is replaced.
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

    /// Records the result of a search that `begin` returned, unless a slot was freed in the meantime.
    ///
    /// Release, with Acquire in `is_known`: the search read the slots before a claim that believes the word ends, so it did not read
    /// a state that a later claim has stored.
    fn end(&self, word: usize, added: usize, has_hosts: bool) {
        let found = word | FULL | if has_hosts { HOSTS } else { 0 } | added << ADDED_SHIFT;
        let _ = self.word.compare_exchange(word, found, Release, Relaxed);
    }

    /// Returns whether some slot belongs to compiled code, or `None` if some slot of these segments may be free.
    fn known(&self, added: impl FnOnce() -> usize) -> Option<bool> {
        let word = self.word.load(Acquire);
        (word & FULL != 0 && is_full(word, added())).then_some(word & HOSTS != 0)
    }
}

// The number of segments has five bits.
static_assertions::const_assert!(super::slot::INDEX_BITS < 1 << (SEARCH.ilog2() - ADDED_SHIFT));

impl<T: Table> Pool<T> {
    /// Returns whether some slot belongs to compiled code, or `None` if some slot may be free.
    #[cold]
    #[inline(never)]
    pub(super) fn full(&self) -> Option<bool> {
        self.sweep.full.known(|| self.slots.added())
    }

    /// Records that the table is full, if it is.
    #[cold]
    #[inline(never)]
    pub(super) fn record_full(&self) {
        // Counted first: a segment that is added later may be searched, but the word does not count it.
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
