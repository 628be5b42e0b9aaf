//! Models of a rejected design (ARCHITECTURE.md, "Rejected designs"), in which each growing thread takes the next chunk
//! of the row with one exchange, and of its variant with spare chunks. The models that fail show why both were rejected.

use super::*;
use core::array::from_fn;

/// A full static table, and a row with `LEN` chunks. Chunk n has `SLOTS << n` slots.
struct Chunks<const LEN: usize> {
    /// The number of chunks that were taken.
    taken: AtomicUsize,
    /// For each chunk, whether it was mapped.
    mapped: [AtomicUsize; LEN],
    /// For each chunk, the number of slots that were claimed.
    claimed: [AtomicUsize; LEN],
}

impl<const LEN: usize> Chunks<LEN> {
    fn new() -> Self {
        let zeroes = || from_fn(|_| AtomicUsize::new(0));
        Chunks { taken: AtomicUsize::new(0), mapped: zeroes(), claimed: zeroes() }
    }

    fn claim_unused(&self) -> bool {
        (0..LEN).any(|chunk| {
            let more = |claimed: usize| (claimed < SLOTS << chunk).then_some(claimed + 1);
            self.mapped[chunk].load(Acquire) != 0
                && self.claimed[chunk].fetch_update(Relaxed, Relaxed, more).is_ok()
        })
    }

    /// Claims a slot. Before taking a chunk, searches again. Returns false if no slot is free and no chunk is left.
    fn claim(&self) -> bool {
        self.claim_interrupted(|| ())
    }

    /// Like [`claim`](Self::claim), but a signal handler interrupts the thread before it has mapped the chunk.
    fn claim_interrupted(&self, mut handler: impl FnMut()) -> bool {
        loop {
            let chunk = self.taken.load(Relaxed);
            if self.claim_unused() {
                return true;
            }
            if chunk == LEN {
                return false;
            }
            if self.taken.compare_exchange(chunk, chunk + 1, Relaxed, Relaxed).is_ok() {
                handler();
                self.mapped[chunk].store(1, Release);
            }
        }
    }

    fn capacity(&self) -> usize {
        (0..LEN).filter(|&chunk| self.mapped[chunk].load(Acquire) != 0).map(|chunk| SLOTS << chunk).sum()
    }
}

/// Claims a slot on each of two threads. Returns whether both claims succeeded, and the number of slots that were
/// added.
fn two_claims<const LEN: usize>() -> (bool, usize) {
    let row = Arc::new(Chunks::<LEN>::new());
    let other = {
        let row = row.clone();
        thread::spawn(move || row.claim())
    };
    let both = [row.claim(), other.join().unwrap()] == [true; 2];
    (both, row.capacity())
}

#[test]
#[should_panic(expected = "a claim was rejected while the table could grow")]
fn a_claim_fails_while_another_thread_maps_the_last_chunk_of_the_row() {
    with_two_preemptions(|| assert!(two_claims::<1>().0, "a claim was rejected while the table could grow"));
}

#[test]
#[should_panic(expected = "two threads mapped more than twice the slots that they needed")]
fn concurrent_growth_maps_more_chunks_than_needed() {
    with_two_preemptions(|| {
        let (_, added) = two_claims::<2>();
        assert!(added <= 2 * SLOTS, "two threads mapped more than twice the slots that they needed");
    });
}

/// Claims a slot in a signal handler that has interrupted the thread that maps the first chunk. Returns whether the
/// handler's claim succeeded. If `waits` is set, the handler repeats its claim until it succeeds.
fn claim_in_handler<const LEN: usize>(waits: bool) -> bool {
    let row = Chunks::<LEN>::new();
    let mut claimed = false;
    row.claim_interrupted(|| {
        claimed = row.claim();
        while waits && !claimed {
            thread::yield_now();
            claimed = row.claim();
        }
    });
    claimed
}

#[test]
fn a_handler_that_interrupts_a_mapping_takes_the_next_chunk() {
    loom::model(|| assert!(claim_in_handler::<2>(false)));
}

#[test]
#[should_panic(expected = "a claim was rejected while the table could grow")]
fn a_claim_fails_in_a_handler_that_interrupts_the_mapping_of_the_last_chunk() {
    loom::model(|| assert!(claim_in_handler::<1>(false), "a claim was rejected while the table could grow"));
}

/// Waiting does not help this handler: loom reports a loop that never ends.
#[test]
#[should_panic(expected = "maximum number of branches")]
fn a_handler_that_waits_for_the_mapping_that_it_interrupts_never_returns() {
    loom::model(|| assert!(claim_in_handler::<1>(true)));
}

/// A full static table, and a row for one more segment of `SLOTS + 1` slots. That segment can be in any of `LEN`
/// chunks. A thread maps a chunk of its own, and gives the chunk back if another thread has published the segment
/// first.
struct SpareChunks<const LEN: usize> {
    /// For each chunk, whether a thread has taken it.
    taken: [AtomicUsize; LEN],
    /// The published chunk's index plus one, or 0 if none is published.
    published: AtomicUsize,
    claimed: AtomicUsize,
}

impl<const LEN: usize> SpareChunks<LEN> {
    fn take(&self) -> Option<usize> {
        (0..LEN).find(|&chunk| self.taken[chunk].compare_exchange(0, 1, Acquire, Relaxed).is_ok())
    }

    /// Claims a slot. Returns false if no slot is free, or if no chunk can be taken although the segment does not exist.
    fn claim(&self) -> bool {
        while self.published.load(Acquire) == 0 {
            let Some(chunk) = self.take() else {
                if self.published.load(Acquire) == 0 {
                    return false;
                }
                break;
            };
            if self.published.compare_exchange(0, chunk + 1, Release, Relaxed).is_err() {
                self.taken[chunk].store(0, Release);
            }
        }
        let more = |claimed: usize| (claimed <= SLOTS).then_some(claimed + 1);
        self.claimed.fetch_update(Relaxed, Relaxed, more).is_ok()
    }
}

/// Each of three threads claims a slot.
fn three_claims<const LEN: usize>() {
    let row = Arc::new(SpareChunks::<LEN> {
        taken: from_fn(|_| AtomicUsize::new(0)),
        published: AtomicUsize::new(0),
        claimed: AtomicUsize::new(0),
    });
    let others = [0; 2].map(|_| {
        let row = row.clone();
        thread::spawn(move || row.claim())
    });
    let own = row.claim();
    let all = others.into_iter().all(|other| other.join().unwrap());
    assert!(own && all, "a claim was rejected while the table could grow");
}

#[test]
fn three_threads_grow_the_row_if_it_has_two_spare_chunks() {
    with_two_preemptions(three_claims::<3>);
}

#[test]
#[should_panic(expected = "a claim was rejected while the table could grow")]
fn a_claim_fails_while_other_threads_map_all_spare_chunks_of_the_row() {
    with_two_preemptions(three_claims::<2>);
}
