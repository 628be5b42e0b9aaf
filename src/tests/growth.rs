//! Tests of growth: single-threaded operations on pools whose tables can grow.

use super::{alloc_for, boxed};
use crate::pool::fake::OwnTable;
use crate::pool::hosted::Pool;
use crate::pool::{Claim, Owner, SLOTS, SlotPool, SlotState};
use crate::tests::exercise::callee;
use std::boxed::Box;
use std::collections::BTreeSet;
use std::vec::Vec;

extern crate std;

type TestPool = Box<Pool<OwnTable>>;

/// Returns a pool whose table can grow.
fn growing_pool() -> TestPool {
    boxed(|| Pool::new(OwnTable::growing()))
}

#[test]
fn a_full_table_doubles_and_every_index_is_claimed_once() {
    let pool = growing_pool();
    let mut all = BTreeSet::new();
    for added in 0..3 {
        let capacity = SLOTS << added;
        assert_eq!((pool.slots().added(), pool.slots().capacity()), (added, capacity));
        all.extend((all.len()..capacity).map(|n| alloc_for(&pool, n).unwrap().index));
        assert_eq!(all.len(), capacity);
        assert_eq!(alloc_for(&pool, 0), None);
        assert!(pool.slots().grow(added, usize::MAX));
    }
    for &index in &all {
        let address = pool.slots().stub(index).addr();
        assert!(matches!(pool.find(address), SlotState::Live { claim, .. } if claim.index == index));
        assert!(matches!(pool.find(address), SlotState::Live { callee: p, .. } if !p.is_null()));
    }
    for &index in &all {
        assert_eq!(pool.release_slow(pool.slots().stub(index).addr()), Ok(()));
    }
    assert_eq!(pool.live().count(), 0);
}

#[test]
fn a_limit_shortens_the_last_segment() {
    let pool = growing_pool();
    assert!(!pool.slots().grow(0, SLOTS));
    assert!(pool.slots().grow(0, SLOTS + SLOTS / 2 + 1));
    assert_eq!(pool.slots().capacity(), SLOTS + SLOTS / 2 + 1);
    let claims = (0..).map_while(|n| alloc_for(&pool, n)).count();
    assert_eq!(claims, pool.slots().capacity());
    assert!(!pool.slots().grow(1, SLOTS + SLOTS / 2 + 1));
    assert_eq!(
        pool.find(pool.slots().stub(SLOTS as u32).addr() + SLOTS),
        SlotState::Not(crate::pool::NotAStub::Foreign)
    );
}

#[test]
fn growth_with_an_outdated_segment_count_adds_nothing() {
    let pool = growing_pool();
    assert!(pool.slots().grow(0, usize::MAX));
    assert!(pool.slots().grow(0, usize::MAX));
    assert_eq!(pool.slots().added(), 1);
}

#[test]
fn dead_slots_in_every_segment_are_reused() {
    let pool = growing_pool();
    assert!(pool.slots().grow(0, usize::MAX) && pool.slots().grow(1, usize::MAX));
    let claims: Vec<_> = (0..4 * SLOTS).map(|n| alloc_for(&pool, n).unwrap()).collect();
    for round in 1..4 {
        for claim in pool.live().collect::<Vec<_>>() {
            assert!(pool.release(claim));
        }
        let again: BTreeSet<u32> =
            (0..4 * SLOTS).map(|n| alloc_for(&pool, round * 10_000_000 + n).unwrap().index).collect();
        assert_eq!(again.len(), claims.len());
    }
}

/// Free slots are used first, then reclaimed slots; only then does the table grow.
#[test]
fn the_cheapest_source_of_slots_is_tried_first() {
    let pool = growing_pool();
    let asked = core::cell::RefCell::new(Vec::new());
    let armed = |claim: Claim| {
        pool.arm(claim, callee(1), core::ptr::null_mut());
        claim.index
    };
    let find = |reclaim: &dyn Fn() -> bool| {
        asked.borrow_mut().clear();
        let reclaim = || {
            asked.borrow_mut().push("reclaim");
            reclaim()
        };
        pool.claim_or_reclaim(callee(1), Owner::Compiler, reclaim).map(armed)
    };
    let grow = |limit| pool.claim_or_grow(callee(1), Owner::Compiler, || limit).map(armed);
    for _ in 0..SLOTS {
        assert!(find(&|| false).is_some());
        assert!(asked.borrow().is_empty(), "a slot was free, but {asked:?}");
    }
    let reclaimed = || pool.reclaim(|index, _| index == 3) > 0;
    assert_eq!(find(&reclaimed), Some(3));
    assert_eq!(*asked.borrow(), ["reclaim"]);
    // Even if slots were reclaimed, another thread may have taken them since.
    assert_eq!(find(&|| true), None);
    assert_eq!(find(&|| false), None);
    assert_eq!(pool.capacity(), SLOTS);
    assert_eq!(grow(SLOTS), None);
    assert_eq!(pool.capacity(), SLOTS);
    // If a slot has been freed in the meantime, it is used before the table grows.
    assert!(reclaimed());
    assert_eq!(grow(SLOTS + 1), Some(3));
    assert_eq!(pool.capacity(), SLOTS);
    assert_eq!(grow(SLOTS + 1), Some(SLOTS as u32));
    assert_eq!(grow(SLOTS + 1), None);
}

/// Calls the row's fast paths, both for slots in the row and for other slots.
#[test]
#[cfg(not(strict_reuse))]
fn the_rows_fast_paths_change_nothing_outside_the_row() {
    use crate::tests::exercise::address;
    let pool = growing_pool();
    assert!(pool.slots().grow(0, usize::MAX) && pool.slots().grow(1, usize::MAX));
    let all: Vec<Claim> = (0..4 * SLOTS).map(|_| alloc_for(&pool, 1).unwrap()).collect();
    for claim in &all {
        let (index, address) = (claim.index as usize, address(&pool, *claim));
        assert!(!pool.release_fast_in_row(address), "the slot is not marked");
        assert_eq!(pool.release_slow(address), Ok(()));
        assert!(!pool.release_fast_in_row(address), "the slot is dead");
        let made = pool.list(callee(1)).and_then(|list| {
            pool.make_listed(list.packed(), callee(1), Owner::Program, callee(1), core::ptr::null_mut())
        });
        let (in_table, near) = (index < SLOTS, index < 2 * SLOTS); // the fake table's first segment is in the row
        assert_eq!(made.map(|stub| stub.addr()), near.then_some(address));
        assert_eq!(pool.release_fast_in_row(address), near && !in_table);
        assert_eq!(pool.release_fast(address), in_table);
    }
    assert_eq!(pool.live().count(), 0);
}
