//! Tests of the pool for bare-metal targets.

use super::alloc_for;
use crate::pool::bare::{Pool, Slot};
use crate::pool::fake::TestTable;
use crate::pool::{Claim, NotAStub, Owner, SLOTS, SlotPool, SlotState, Stubs};
use crate::sync::exchange::choose_section;
use crate::sync::section;
use crate::tests::exercise::{address, callee};
use proptest::prelude::*;
use std::boxed::Box;
use std::collections::{BTreeMap, BTreeSet};
use std::vec::Vec;

extern crate std;

type TestPool = Box<Pool<TestTable<Slot>>>;

fn pool() -> TestPool {
    Box::new(Pool::new(TestTable::new()))
}

#[test]
fn an_unclaimed_slot_is_never_read() {
    let pool = pool(); // the table initially contains arbitrary data
    let third = TestTable::<Slot>::new().stub(3).addr();
    assert_eq!(pool.live().count(), 0);
    assert_eq!(pool.find(third), SlotState::Unused);
    assert_eq!(pool.release_slow(third), Err(SlotState::Unused));
    assert_eq!(pool.former_callee(3), None);
    assert_eq!(pool.find(third + SLOTS), SlotState::Not(NotAStub::Foreign));
}

#[test]
fn every_slot_is_claimed_exactly_once_before_the_table_is_full() {
    let pool = pool();
    let claims: BTreeSet<u32> = (0..SLOTS).map(|n| alloc_for(&pool, n).unwrap().index).collect();
    assert_eq!(claims.len(), SLOTS);
    assert_eq!(alloc_for(&pool, 0), None);
    assert_eq!(pool.live().count(), SLOTS);
}

#[test]
fn a_slot_is_freed_only_once() {
    let pool = pool();
    let claim = pool.claim_slow(callee(1), Owner::Program).unwrap();
    let chain = core::ptr::without_provenance_mut(0x1234);
    pool.arm(claim, callee(2), chain);
    let found = SlotState::Live { claim, callee: callee(1), entry: callee(2), chain };
    assert_eq!(pool.find(address(&pool, claim)), found);
    assert!(pool.release(claim));
    let dead = SlotState::Dead { callee: callee(1) };
    assert_eq!(pool.find(address(&pool, claim)), dead);
    assert!(!pool.release(claim));
    assert_eq!(pool.release_slow(address(&pool, claim)), Err(dead));
}

#[test]
fn a_stale_claim_cannot_free_a_reused_slot() {
    let pool = pool();
    let claims: Vec<Claim> = (0..SLOTS).map(|n| alloc_for(&pool, n).unwrap()).collect();
    assert_eq!(pool.release_slow(address(&pool, claims[1])), Ok(()));
    let again = alloc_for(&pool, 1).unwrap();
    assert_eq!(again.index, claims[1].index);
    assert!(!pool.release(claims[1]), "an owner ended another's generation");
    assert!(pool.release(again));
}

#[test]
#[cfg(not(strict_reuse))]
fn a_callee_reuses_its_latest_dead_slot() {
    let pool = pool();
    let claims: Vec<Claim> = (0..3).map(|_| alloc_for(&pool, 1).unwrap()).collect();
    for latest in [1, 0, 2] {
        claims.iter().filter(|claim| claim.index != claims[latest].index).for_each(|claim| {
            pool.release_slow(address(&pool, *claim)).unwrap();
        });
        pool.release_slow(address(&pool, claims[latest])).unwrap();
        assert_eq!(alloc_for(&pool, 1).unwrap().index, claims[latest].index);
        alloc_for(&pool, 1).unwrap();
        alloc_for(&pool, 1).unwrap();
    }
}

#[test]
#[cfg(not(strict_reuse))]
fn only_the_former_callee_reuses_a_freed_slot_immediately() {
    let pool = pool();
    let (first, second) = (alloc_for(&pool, 1).unwrap(), alloc_for(&pool, 2).unwrap());
    assert!(pool.release(first));
    assert!(pool.release(second));
    assert_eq!(alloc_for(&pool, 1).unwrap().index, first.index);
    assert_ne!(alloc_for(&pool, 3).unwrap().index, second.index);
}

/// Reuses slots many times: on 32-bit targets, more often than a free record can count.
#[test]
fn another_callee_gets_the_slot_that_has_been_dead_longest() {
    let pool = pool();
    let all: Vec<Claim> = (0..SLOTS).map(|n| alloc_for(&pool, n).unwrap()).collect();
    let order: Vec<u32> = all.iter().rev().map(|claim| claim.index).collect();
    all.iter().rev().for_each(|&claim| assert!(pool.release(claim)));
    let frees = if usize::BITS == 32 { 70_000 } else { 7_000 };
    for round in 0..(frees / SLOTS).max(3) {
        for (n, &index) in order.iter().enumerate() {
            let claim = alloc_for(&pool, SLOTS * (round + 1) + n).unwrap();
            assert_eq!(claim.index, index, "round {round}, {n}");
            assert!(pool.release(claim));
        }
    }
}

/// The slots' memory has lost its contents, but the pool's memory has not.
#[test]
fn freeing_everything_restores_the_words_of_each_used_slot() {
    let pool = pool();
    let claims: Vec<Claim> = (0..3).map(|n| alloc_for(&pool, n).unwrap()).collect();
    assert!(pool.release(claims[1]));
    let lost = core::ptr::without_provenance_mut(0x5a5a);
    claims.iter().for_each(|&claim| pool.set_chain(claim, lost));
    pool.release_all();
    assert_eq!(pool.live().count(), 0);
    for (claim, n) in claims.iter().zip(0..) {
        assert_eq!(pool.former_callee((n + 1) << (usize::BITS / 2) | n), Some((n as u32, callee(n))));
        assert_eq!(pool.find(address(&pool, *claim)), SlotState::Dead { callee: callee(n) });
        assert!(!pool.release(*claim));
    }
    assert_eq!(pool.find(TestTable::<Slot>::new().stub(3).addr()), SlotState::Unused);
    assert_eq!(alloc_for(&pool, 1).unwrap().index, if cfg!(strict_reuse) { 3 } else { 1 });
}

/// An interrupt handler that critical sections do not mask may run during such a section, and must not wait for the
/// section to end.
#[test]
fn only_a_claim_enters_a_critical_section() {
    choose_section(true);
    let pool = pool();
    let [first, second] = [1, 2].map(|number| alloc_for(&pool, number).unwrap());
    section::with(|| {
        assert_eq!(pool.live().count(), 2);
        pool.set_chain(first, core::ptr::null_mut());
        pool.retarget(first, callee(3), core::ptr::null_mut());
        assert!(pool.release(first));
        assert_eq!(pool.release_slow(address(&pool, second)), Ok(()));
        assert_eq!(pool.find(address(&pool, second)), SlotState::Dead { callee: callee(2) });
        assert_eq!(pool.former_callee(1 << (usize::BITS / 2) | 1), Some((1, callee(2))));
    });
    let waits =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| section::with(|| alloc_for(&pool, 1))));
    choose_section(false);
    assert!(waits.is_err(), "a claim takes no section, so this test proves nothing");
}

proptest! {
    /// In any sequence of operations, no slot may be lost, handed out twice, or reported incorrectly.
    #[test]
    fn the_pool_behaves_like_a_set_in_any_sequence_of_operations(steps in prop::collection::vec((0..3usize, any::<usize>()), 1..200)) {
        let pool = pool();
        let mut live: BTreeMap<u32, (Claim, usize)> = BTreeMap::new();
        for (what, number) in steps {
            match what {
                0 | 1 => match alloc_for(&pool, number % 5) {
                    Some(claim) => prop_assert!(live.insert(claim.index, (claim, number % 5)).is_none()),
                    None => prop_assert_eq!(live.len(), SLOTS),
                },
                _ => if let Some((&index, &(claim, _))) = live.iter().nth(number % live.len().max(1)) {
                    if number % 2 == 0 {
                        prop_assert!(pool.release(claim));
                    } else {
                        prop_assert_eq!(pool.release_slow(address(&pool, claim)), Ok(()));
                    }
                    live.remove(&index);
                },
            }
            prop_assert_eq!(pool.live().count(), live.len());
            for (claim, number) in live.values() {
                let found = SlotState::Live {
                    claim: *claim, callee: callee(*number), entry: callee(*number), chain: core::ptr::null_mut(),
                };
                prop_assert_eq!(pool.find(address(&pool, *claim)), found);
            }
        }
    }
}
