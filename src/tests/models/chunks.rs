//! Models of a rejected design (ARCHITECTURE.md, "Rejected designs"), in which each growing thread takes the next chunk of
//! the row with one exchange. Each model fails, and so shows why the design was rejected.

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

    /// Claims a slot. Searches again before it takes a chunk. Returns false if no slot is free and no chunk is left.
    fn claim(&self) -> bool {
        loop {
            let chunk = self.taken.load(Relaxed);
            if self.claim_unused() {
                return true;
            }
            if chunk == LEN {
                return false;
            }
            if self.taken.compare_exchange(chunk, chunk + 1, Relaxed, Relaxed).is_ok() {
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
    loom::model(|| assert!(two_claims::<1>().0, "a claim was rejected while the table could grow"));
}

#[test]
#[should_panic(expected = "two threads mapped more than twice the slots that they needed")]
fn two_growing_threads_map_more_chunks_than_they_need() {
    loom::model(|| {
        let (_, added) = two_claims::<2>();
        assert!(added <= 2 * SLOTS, "two threads mapped more than twice the slots that they needed");
    });
}
