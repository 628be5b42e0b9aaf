//! Tests of the rounds in which dead slots are handed to other callees.

use super::{alloc_for, boxed};
use crate::pool::fake::OwnTable;
use crate::pool::hosted::{Pool, QUARANTINE};
use crate::pool::{Claim, Owner, SLOTS, SlotPool};
#[cfg(not(strict_reuse))]
use crate::sync::Relaxed;
use crate::tests::exercise::callee;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::vec::Vec;

extern crate std;

type TestPool = Box<Pool<OwnTable>>;

/// The number of slots in a window (`round.rs`).
#[cfg(not(strict_reuse))]
const WINDOW: u32 = 128;

/// Returns a pool in which every slot has been used and is live.
fn full_pool() -> (TestPool, Vec<Claim>) {
    let pool = boxed(|| Pool::new(OwnTable::new()));
    let all = (0..SLOTS).map(|_| alloc_for(&pool, 1).unwrap()).collect();
    assert_eq!(alloc_for(&pool, 1), None);
    (pool, all)
}

/// Returns a pool in which every slot has been used and is dead, and an empty log. Returns `None` if the table is so
/// small that slots are handed out earlier than the log accepts.
fn dead_pool() -> Option<(TestPool, Log)> {
    if SLOTS <= QUARANTINE as usize {
        return None;
    }
    let (pool, all) = full_pool();
    all.into_iter().for_each(|claim| assert!(pool.release(claim)));
    Some((pool, Log::default()))
}

/// Makes a trampoline for a callee that has none, through the fast path if possible.
fn make(pool: &TestPool, number: usize) -> Claim {
    let callee = callee(number + 2);
    let next = pool.claim_swept_fast(callee, Owner::Program).map(|(claim, _)| claim);
    let claim = next.or_else(|| pool.claim(callee, Owner::Program)).unwrap();
    pool.arm(claim, callee, core::ptr::null_mut());
    claim
}

/// A log that counts the slots handed out, and checks that none of them was handed out too early.
#[derive(Default)]
struct Log {
    handed_out: u32,
    /// For each dead slot, the number of slots that had been handed out when it was freed.
    dead: BTreeMap<u32, u32>,
}

impl Log {
    /// Makes and frees a trampoline. Returns the index of the trampoline's slot.
    fn make_and_free(&mut self, pool: &TestPool) -> u32 {
        let claim = make(pool, self.handed_out as usize);
        if let Some(then) = self.dead.remove(&claim.index) {
            let others = self.handed_out - then;
            assert!(others >= QUARANTINE, "slot {} was handed out after {others} others", claim.index);
        }
        self.handed_out += 1;
        self.free(pool, claim);
        claim.index
    }

    fn free(&mut self, pool: &TestPool, claim: Claim) {
        assert!(pool.release(claim));
        self.dead.insert(claim.index, self.handed_out);
    }
}

/// The round reaches some slots that were freed shortly before, and must not hand them out.
#[test]
fn the_round_skips_recently_freed_slots() {
    if SLOTS <= 2 * QUARANTINE as usize {
        return; // at times, fewer than `QUARANTINE` other slots are dead, and then a slot may be handed out earlier
    }
    for ahead in [1, 20, 40, 60] {
        let (pool, all) = full_pool();
        let mut log = Log::default();
        let (mut held, free): (Vec<_>, Vec<_>) = all.into_iter().partition(|claim| claim.index % 8 == 5);
        free.into_iter().for_each(|claim| assert!(pool.release(claim)));
        held.reverse();
        for _ in 0..4 * SLOTS {
            let index = log.make_and_free(&pool);
            while held.last().is_some_and(|claim| claim.index > 256 && claim.index <= index + ahead) {
                log.free(&pool, held.pop().unwrap());
            }
            held.pop_if(|claim| claim.index <= 256);
        }
        assert!(held.is_empty(), "the round did not pass through all slots");
    }
}

/// A round that has the table to itself hands out the slots in index order.
#[test]
fn an_uncontended_round_hands_out_every_slot() {
    let Some((pool, mut log)) = dead_pool() else { return };
    let mut times = [0; SLOTS];
    for _ in 0..8 * SLOTS {
        times[log.make_and_free(&pool) as usize] += 1;
    }
    assert!(times.iter().all(|&times| (6..=10).contains(&times)), "{times:?}");
}

/// If the round gives a slot to a callee that has a list, the slot is put on top of the list while it is still live.
#[test]
#[cfg(not(strict_reuse))]
fn a_slot_claimed_in_a_round_is_put_on_its_new_callees_list() {
    if SLOTS <= 2 * QUARANTINE as usize {
        return; // the fast path may find no slot that has been dead long enough
    }
    let Some((pool, mut log)) = dead_pool() else { return };
    let callee = callee(1);
    let first = pool.claim_listed(callee, Owner::Program).unwrap();
    pool.release(first);
    while pool.slots().slot(first.index).callee.load(Relaxed).cast_const() == callee {
        log.make_and_free(&pool);
    }
    log.make_and_free(&pool); // the fast path fails at the end of a window
    let list = pool.list(callee).unwrap().packed();
    let stub = pool.make_listed(list, callee, Owner::Program, callee, core::ptr::null_mut()).unwrap();
    let claim = pool.find_claim(pool.index_of(stub.addr()).unwrap()).unwrap();
    assert!(claim.index != first.index && pool.slots().slot(claim.index).is_on_top());
    assert!(pool.release(claim));
    assert_eq!(pool.claim_listed(callee, Owner::Program).map(|claim| claim.index), Some(claim.index));
}

/// A new thread's frees have smaller numbers than earlier frees by other threads.
#[test]
fn slots_freed_by_new_threads_are_not_handed_out_immediately() {
    let Some((pool, mut log)) = dead_pool() else { return };
    for _ in 0..4 * SLOTS {
        pool.slots().shard().forget_frees();
        log.make_and_free(&pool);
    }
}

/// While other threads sweep, a round stays in its window as long as the next window has been used recently.
#[test]
#[cfg(not(strict_reuse))]
fn a_contended_round_does_not_enter_a_recently_used_window() {
    if SLOTS <= WINDOW as usize {
        return; // there is only one window
    }
    let (pool, all) = full_pool();
    (0..9).for_each(|_| pool.count_another_group());
    all.into_iter().for_each(|claim| assert!(pool.release(claim)));
    let mut log = Log::default();
    let mut next = 0;
    // For each group of this round, another round hands out a group.
    while next == 0 {
        let index = log.make_and_free(&pool);
        assert!(log.handed_out < 64 * QUARANTINE, "the round never leaves its window");
        next = index / WINDOW;
        if log.handed_out.is_multiple_of(QUARANTINE.div_ceil(2)) {
            pool.count_another_group();
        }
    }
    assert_eq!(next, 1);
    // the age clock has advanced by 64, half of that by each round
    assert!(log.handed_out >= 32 * QUARANTINE.div_ceil(2) - WINDOW, "after {} slots", log.handed_out);
}

/// If all slots in the window of a contended round were freed recently, the round takes the slot that has been dead
/// longest.
#[test]
#[cfg(not(strict_reuse))]
fn a_contended_round_takes_the_slot_in_its_window_that_has_been_dead_longest() {
    let (pool, mut all) = full_pool();
    (0..9).for_each(|_| pool.count_another_group());
    all.sort_by_key(|claim| (claim.index.wrapping_mul(77) % SLOTS as u32, claim.index));
    all.iter().for_each(|&claim| assert!(pool.release(claim)));
    let order: Vec<u32> = all.iter().map(|claim| claim.index).filter(|&index| index < WINDOW).collect();
    for (number, &index) in order.iter().take(QUARANTINE as usize).enumerate() {
        assert_eq!(make(&pool, number).index, index);
    }
}
