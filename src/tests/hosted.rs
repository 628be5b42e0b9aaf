//! Tests of the hosted pool: single-threaded operations, compared with a list of the live slots.

use super::{alloc_for, boxed};
use crate::pool::fake::OwnTable;
use crate::pool::hosted::{Pool, QUARANTINE};
use crate::pool::{Claim, Owner, SLOTS, SlotPool, SlotState, Stubs};
use crate::sync::Relaxed;
use crate::tests::exercise::{address, callee};
use proptest::prelude::*;
use std::boxed::Box;
use std::collections::{BTreeMap, BTreeSet};
use std::vec::Vec;

extern crate std;

type TestPool = Box<Pool<OwnTable>>;

fn pool() -> TestPool {
    boxed(|| Pool::new(OwnTable::new()))
}

#[test]
fn freeing_everything_leaves_no_trampoline_live() {
    let pool = pool();
    let claims: Vec<Claim> = (0..5).map(|n| alloc_for(&pool, n).unwrap()).collect();
    assert!(pool.release(claims[1]));
    pool.release_all();
    assert_eq!(pool.live().count(), 0);
    assert!(claims.iter().all(|&claim| !pool.release(claim)));
}

#[test]
fn an_unclaimed_slot_is_never_read() {
    let pool = pool(); // the table contains arbitrary data that looks live
    assert_eq!(pool.live().count(), 0);
    assert_eq!(pool.find(OwnTable::new().stub(3).addr()), SlotState::Unused);
    assert_eq!(pool.release_slow(OwnTable::new().stub(3).addr()), Err(SlotState::Unused));
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
fn a_lookup_returns_callee_and_chain() {
    let pool = pool();
    let claim = pool.claim(callee(1), Owner::Program).unwrap();
    let chain = core::ptr::without_provenance_mut(0x1234);
    pool.arm(claim, callee(2), chain);
    let found = SlotState::Live { claim, callee: callee(1), entry: callee(2), chain };
    assert_eq!(pool.find(address(&pool, claim)), found);
    assert!(pool.release(claim));
    assert_eq!(pool.find(address(&pool, claim)), SlotState::Dead { callee: callee(1) });
}

#[test]
fn a_slot_is_freed_only_once() {
    let pool = pool();
    let claim = alloc_for(&pool, 1).unwrap();
    assert!(pool.release(claim));
    assert!(!pool.release(claim));
    assert_eq!(pool.release_slow(address(&pool, claim)), Err(SlotState::Dead { callee: callee(1) }));
    if !cfg!(strict_reuse) {
        let again = alloc_for(&pool, 1).unwrap();
        assert_eq!(again.index, claim.index);
        assert_ne!(again.generation, claim.generation);
        assert!(pool.release(again));
    }
}

#[test]
#[cfg(not(strict_reuse))]
fn only_the_former_callee_reuses_a_freed_slot_immediately() {
    let pool = pool();
    let (a, b) = (alloc_for(&pool, 1).unwrap(), alloc_for(&pool, 2).unwrap());
    pool.release(a);
    pool.release(b);
    let other = alloc_for(&pool, 3).unwrap().index;
    assert!(other != a.index && other != b.index);
    assert_eq!(alloc_for(&pool, 2).unwrap().index, b.index);
    assert_eq!(alloc_for(&pool, 1).unwrap().index, a.index);
}

/// Repeatedly makes 20 trampolines for one callee, and frees them in several orders, by their claims or by their
/// addresses.
#[test]
#[cfg(not(strict_reuse))]
fn repeated_recursion_reuses_the_same_slots() {
    let by_claim = |pool: &TestPool, claim: Claim| pool.release(claim);
    let by_address = |pool: &TestPool, claim: Claim| {
        let address = address(pool, claim);
        pool.release_fast(address) || pool.release_slow(address).is_ok()
    };
    for free in [by_claim as fn(&TestPool, Claim) -> bool, by_address] {
        for freed_in in ["order", "reverse order", "mixed order"] {
            let pool = pool();
            let mut used = BTreeSet::new();
            for _ in 0..50 {
                let mut claims: Vec<Claim> = (0..20).map(|_| alloc_for(&pool, 7).unwrap()).collect();
                used.extend(claims.iter().map(|claim| claim.index));
                match freed_in {
                    "reverse order" => claims.reverse(),
                    "mixed order" => claims.sort_by_key(|claim| claim.index * 7 % 20),
                    _ => {}
                }
                assert!(claims.into_iter().all(|claim| free(&pool, claim)));
            }
            assert_eq!(used.len(), 20, "freed in {freed_in}");
        }
    }
}

/// Uses more callees than a shard has lists, each with one or more slots.
#[test]
#[cfg(not(strict_reuse))]
fn alternating_callees_reuse_their_own_slots() {
    let cases = [(3, 1), (8, 1), (8, 3), (100, 2)];
    for (callees, depth) in cases.into_iter().filter(|(callees, depth)| callees * depth <= SLOTS) {
        let pool = pool();
        let mut used = BTreeSet::new();
        for _ in 0..20 {
            for number in 0..callees {
                let claims: Vec<Claim> = (0..depth).map(|_| alloc_for(&pool, number).unwrap()).collect();
                used.extend(claims.iter().map(|claim| claim.index));
                assert!(claims.into_iter().rev().all(|claim| pool.release(claim)));
            }
        }
        assert_eq!(used.len(), callees * depth, "{callees} callees, {depth} slots each");
    }
}

/// A live slot has the `ON_TOP` flag only if it is the top of a list. Freeing a slot that has the flag changes no list. A
/// dead slot below the top keeps the flag for when it becomes the top again.
#[test]
#[cfg(not(strict_reuse))]
fn a_live_slot_is_flagged_only_if_it_is_the_top_of_a_list() {
    let pool = pool();
    let is_on_top = |claim: Claim| pool.slots().slot(claim.index).is_on_top();
    let claims = [(); 3].map(|()| alloc_for(&pool, 1).unwrap());
    claims.iter().rev().for_each(|&claim| assert!(pool.release(claim)));
    let claims @ [first, second, third] = [(); 3].map(|()| alloc_for(&pool, 1).unwrap());
    assert_eq!(claims.map(is_on_top), [false, false, true]);
    assert!(pool.release(third) && pool.release(second));
    assert_eq!(claims.map(is_on_top), [false, true, true]);
    let second = alloc_for(&pool, 1).unwrap();
    assert!(pool.release(first), "the slot on top is live");
    assert_eq!(claims.map(is_on_top), [true, false, true]);
    pool.slots().slot(second.index).leave_top();
    assert!(pool.release(second));
    assert!(is_on_top(second));
    let second = alloc_for(&pool, 1).unwrap();
    pool.slots().slot(second.index).leave_top();
    assert!(pool.release(second));
    assert!(is_on_top(second), "a free restores a flag that was lost");
}

/// A slot that is given to another callee leaves its former callee's list.
#[test]
#[cfg(not(strict_reuse))]
fn a_freed_slot_is_listed_for_its_last_callee() {
    let pool = pool();
    let first = alloc_for(&pool, 1).unwrap();
    assert!(pool.release(first));
    let again = alloc_for(&pool, 1).unwrap();
    pool.retarget(again, callee(2), core::ptr::null_mut());
    assert!(pool.release(again));
    let again = pool.claim_fast(callee(2), Owner::Program).unwrap();
    assert_eq!(again.index, first.index);
    assert!(pool.release(again));
    let given = pool.claim_dead(first.index, Owner::Program, None).unwrap();
    pool.hand_over(given, callee(3));
    pool.arm(given, callee(3), core::ptr::null_mut());
    assert!(pool.release(given));
    assert_eq!(pool.claim_listed(callee(3), Owner::Program).map(|claim| claim.index), Some(first.index));
}

#[test]
#[cfg(strict_reuse)]
fn no_slot_is_reused_before_all_are_used() {
    let pool = pool();
    let mut seen = BTreeSet::new();
    for _ in 0..SLOTS {
        let claim = alloc_for(&pool, 1).unwrap();
        assert!(seen.insert(claim.index));
        pool.release(claim);
    }
    assert!(alloc_for(&pool, 1).is_some());
}

/// Fills the table, frees up to half of its slots in various orders, and claims slots for another callee.
#[test]
fn a_recently_freed_slot_is_not_given_to_another_callee() {
    for stride in [1, 5, 77, 501] {
        let pool = pool();
        let claims: Vec<Claim> = (0..SLOTS).map(|_| alloc_for(&pool, 1).unwrap()).collect();
        let order: Vec<Claim> = (0..SLOTS / 2).map(|n| claims[n * stride * 2 % SLOTS]).collect();
        let order: Vec<Claim> = order
            .iter()
            .copied()
            .filter({
                let mut seen = BTreeSet::new();
                move |claim| seen.insert(claim.index)
            })
            .collect();
        assert!(order.iter().all(|&claim| pool.release(claim)));
        let quarantined = (QUARANTINE as usize + 1).min(order.len());
        for claim in &order[..quarantined] {
            assert_eq!(alloc_for(&pool, 2).unwrap().index, claim.index, "stride {stride}");
        }
        // Every remaining slot has been dead for at least 63 claims, so these slots may be claimed in any order.
        let rest: BTreeSet<u32> = order[quarantined..].iter().map(|claim| claim.index).collect();
        let got: BTreeSet<u32> = (0..rest.len()).map(|_| alloc_for(&pool, 2).unwrap().index).collect();
        assert_eq!(got, rest);
        assert_eq!(alloc_for(&pool, 2), None);
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Claims a slot for this callee.
    Alloc(usize),
    /// Frees the live slot at this position in the list.
    Free(usize),
    /// Claims a slot for this callee, and frees it.
    Both(usize),
}

/// Runs random claims and frees on a table that is mostly full, and compares the results with a model that records
/// when each slot was freed.
fn check(callees: usize, spare: usize, steps: &[Step]) -> Result<(), TestCaseError> {
    let pool = pool();
    let spare = spare % (SLOTS + 1);
    let mut live: Vec<(Claim, usize)> =
        (0..SLOTS - spare).map(|n| (alloc_for(&pool, n % 3).unwrap(), n % 3)).collect();
    let mut ever: BTreeSet<u32> = live.iter().map(|(claim, _)| claim.index).collect();
    // index -> (callee, number of dead slots after the free, number of dead slots that were handed out before the free)
    let mut dead: BTreeMap<u32, (usize, usize, u32)> = BTreeMap::new();
    let mut handed_out = 0;

    for &step in steps {
        let (make, free) = match step {
            Step::Alloc(p) => (Some(p), None),
            Step::Both(p) => (Some(p), Some(usize::MAX)),
            Step::Free(position) => (None, Some(position)),
        };
        if let Some(p) = make.map(|p| p % callees) {
            let Some(claim) = alloc_for(&pool, p) else {
                prop_assert_eq!(live.len(), SLOTS, "a claim was rejected while a slot was free");
                continue;
            };
            prop_assert!(live.iter().all(|(other, _)| other.index != claim.index), "handed out twice");
            if let Some((late, dead_then, handed_then)) = dead.remove(&claim.index) {
                if late != p || cfg!(strict_reuse) {
                    prop_assert_eq!(ever.len(), SLOTS, "another callee got a slot before all were used");
                    if dead_then > QUARANTINE as usize {
                        prop_assert!(handed_out - handed_then >= QUARANTINE);
                    }
                }
                // A reuse by the former callee is counted as well, because a reused slot no longer delays the reuse of
                // others.
                handed_out += 1;
            }
            ever.insert(claim.index);
            live.push((claim, p));
        }
        if let Some(position) = free.filter(|_| !live.is_empty()) {
            let position = if position == usize::MAX { live.len() - 1 } else { position % live.len() };
            let (claim, p) = live.swap_remove(position);
            prop_assert!(pool.release(claim));
            dead.insert(claim.index, (p, dead.len() + 1, handed_out));
        }
    }
    prop_assert_eq!(pool.live().count(), live.len());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_slot_is_lost_duplicated_or_reused_too_early(
        callees in 1usize..12,
        spare in 0usize..300,
        steps in proptest::collection::vec(prop_oneof![
            (0usize..12).prop_map(Step::Alloc),
            (0usize..SLOTS).prop_map(Step::Free),
            (0usize..SLOTS).prop_map(Step::Free),
            (0usize..12).prop_map(Step::Both),
        ], 0..3000),
    ) {
        check(callees, spare, &steps)?;
    }
}

#[test]
fn only_trampolines_of_abandoned_frames_are_reclaimed() {
    let pool = pool();
    let make = |owner, chain: usize| {
        let claim = pool.claim(callee(1), owner).unwrap();
        pool.arm(claim, callee(1), core::ptr::without_provenance_mut(chain));
        claim
    };
    let own = make(Owner::Program, 100);
    let abandoned = make(Owner::Compiler, 100);
    let there = make(Owner::Compiler, 200);
    assert_eq!(pool.reclaim(|_, chain| chain.addr() == 100), 1);
    assert!(!pool.release(abandoned), "a claim of an earlier generation freed the slot");
    assert!(pool.release(own) && pool.release(there));
    assert_eq!(pool.reclaim(|_, _| true), 0);
}

#[test]
fn a_stale_claim_cannot_free_a_reused_slot() {
    let pool = pool();
    let first = alloc_for(&pool, 1).unwrap();
    pool.release_slow(address(&pool, first)).unwrap();
    assert!(!pool.release(first));
    let second = pool.claim_dead(first.index, Owner::Program, None).unwrap();
    pool.arm(second, callee(1), core::ptr::null_mut());
    assert_eq!(second.index, first.index);
    assert!(!pool.release(first), "the first claim must not free the second generation");
    assert!(pool.release(second));
}

#[test]
fn a_lookup_of_a_dead_slot_returns_its_last_callee() {
    let pool = pool();
    let claim = alloc_for(&pool, 1).unwrap();
    pool.retarget(claim, callee(2), core::ptr::null_mut());
    assert!(pool.release(claim));
    assert_eq!(pool.find(address(&pool, claim)), SlotState::Dead { callee: callee(2) });
}

/// Queries numbers outside the table: a safe function must be sound for any argument.
#[test]
fn queries_outside_the_table_return_nothing() {
    for slot in
        [SLOTS, SLOTS + 63, SLOTS * 8, 1 << 20, u32::MAX as usize, 0x1_0000_0001_u64 as usize, usize::MAX]
    {
        assert!(crate::for_capi::host::content(slot).is_none());
        assert_eq!(crate::for_capi::host::equal_in(slot, callee(1), core::ptr::null_mut()), None);
    }
}

/// Releases a claim for which no trampoline was made. Lookups must see the slot as dead at all times, and the slot must
/// not be lost.
#[test]
fn a_released_claim_leaves_a_dead_slot() {
    let pool = pool();
    let live: BTreeSet<u32> = (1..SLOTS).map(|n| alloc_for(&pool, n).unwrap().index).collect();
    let stale = alloc_for(&pool, 0).unwrap();
    assert!(pool.release(stale));
    for owner in [Owner::Program, Owner::Compiler] {
        let claim = pool.claim(callee(0), owner).unwrap();
        assert_eq!(pool.find(address(&pool, claim)), SlotState::Dead { callee: callee(0) });
        assert!(pool.of_host(claim.index).is_none());
        assert!(pool.release(claim));
        assert_eq!(
            pool.former_callee(pool.slots().slot(claim.index).chain.load(Relaxed).addr()),
            Some((claim.index, callee(0)))
        );
    }
    assert!(!live.contains(&pool.claim(callee(0), Owner::Program).unwrap().index));
}

#[cfg(not(any(portable, strict_reuse)))]
#[test]
fn dropping_a_hosts_claim_frees_its_slot() {
    use crate::for_capi::host::{claim, claim_listed, content};
    let (callee, chain) = (callee(4711), core::ptr::without_provenance_mut(0x1234));
    let made = claim(callee, || false).unwrap();
    let slot = made.slot();
    drop(made);
    let again = claim_listed(callee).unwrap();
    assert_eq!((again.slot(), content(slot)), (slot, None));
    let address = again.arm(callee, chain);
    assert_eq!(content(slot), Some((callee, chain)));
    // SAFETY: the trampoline was made above and is never called.
    unsafe { crate::free(address) }.unwrap();
}
