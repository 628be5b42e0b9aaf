//! Tests of the hash that selects the shard of a thread (`src/table/thread.rs`).

use super::std;
use crate::arch::{THREAD_FACTOR, thread_hash};
use crate::table::shard_offset;
use std::collections::BTreeSet;
use std::vec::Vec;

const THREADS: usize = 64;
const RUNS: u64 = 500;

/// A generator of random numbers (splitmix64). Each run starts from the same state, so the test always gives the same
/// result.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit
    }
}

/// Returns the percentage of runs in which two of 64 threads share a shard. `pointers` returns the thread pointers of a run.
fn shared(mut pointers: impl FnMut(&mut Random) -> Vec<u64>) -> u64 {
    let mut random = Random(20261);
    let mut runs = 0;
    for _ in 0..RUNS {
        let offsets =
            pointers(&mut random).into_iter().map(|it| shard_offset(it.wrapping_mul(THREAD_FACTOR)));
        runs += u64::from(offsets.collect::<BTreeSet<_>>().len() < THREADS);
    }
    100 * runs / RUNS
}

/// Returns the thread pointers of a run. The main thread's descriptor is on a separate page. The other threads'
/// descriptors are on adjacent stacks of equal size. After one in three stacks, chosen at random, the rest of the
/// program has mapped up to `gap` pages.
fn on_stacks(random: &mut Random, size: u64, gap: u64) -> Vec<u64> {
    let page = 4096;
    let mut pointer = (0x7f00 << 32) + random.below(1 << 28) * page + 0x6c0;
    let mut all = std::vec![pointer + (1 + random.below(1 << 16)) * page];
    for _ in 1..THREADS {
        all.push(pointer);
        let has_gap = gap > 0 && random.below(3) == 0;
        pointer -= size + if has_gap { random.below(gap) * page } else { 0 };
    }
    all
}

#[test]
fn two_of_64_threads_share_a_shard_in_at_most_6_percent_of_runs() {
    // Stacks of 16 KiB to 64 MiB, with and without a guard page, including those of musl and of kernels that align
    // large mappings.
    for size in [
        0x5000, 0x6000, 0x11000, 0x23000, 0x26000, 0x41000, 0x10_1000, 0x20_0000, 0x20_1000, 0x80_0000,
        0x80_1000, 0xa0_0000, 0x400_0000,
    ] {
        for gap in [0, 64, 0x4000] {
            let percent = shared(|random| on_stacks(random, size, gap));
            assert!(percent <= 6, "stacks of {size:#x} bytes, gaps of {gap} pages: {percent} %");
        }
    }
    let anywhere = |random: &mut Random| {
        (0..THREADS).map(|_| (0x7f00 << 32) + random.below(1 << 28) * 4096 + 0x6c0).collect()
    };
    assert!(shared(anywhere) <= 6);
}

/// Of 64 threads, a few might share a shard by chance, but not many.
#[test]
#[cfg_attr(miri, ignore = "all threads have one identifier")]
fn running_threads_have_different_shards() {
    let barrier = std::sync::Barrier::new(THREADS);
    let offset = || {
        barrier.wait();
        let offset = shard_offset(thread_hash());
        barrier.wait();
        offset
    };
    let offsets = std::thread::scope(|scope| {
        let all: Vec<_> = (0..THREADS).map(|_| scope.spawn(offset)).collect();
        all.into_iter().map(|it| it.join().unwrap()).collect::<BTreeSet<_>>()
    });
    assert!(offsets.len() >= THREADS - 4, "{} shards for {THREADS} threads", offsets.len());
    assert_eq!(thread_hash(), (crate::arch::thread() as u64).wrapping_mul(THREAD_FACTOR));
}
