//! Models of two threads that share a shard. A list may contain any slot whose contents are visible to the reader, and
//! no generation of a slot recurs.

use super::*;

/// Returns a pool that may grow. Its table is full except for one slot, which is dead and on top of A's list.
fn full_but_for_the_list_of_a() -> (Shared, Claim) {
    let pool = Arc::new(Pool::new(OwnTable::growing()));
    let first = alloc(&pool, A, 1).unwrap();
    (1..SLOTS).for_each(|n| assert!(pool.claim_unused(B, Owner::Program).is_some(), "slot {n}"));
    assert!(pool.release(first));
    (pool, first)
}

#[test]
fn a_list_offers_new_slots_only_to_threads_that_see_the_segment() {
    loom::model(|| {
        let (pool, first) = full_but_for_the_list_of_a();
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                assert!(pool.slots().grow(0, usize::MAX));
                let claim = pool.claim_unused(B, Owner::Program).unwrap();
                pool.arm(claim, B, CHAIN);
                // B has no list yet, so A's list is evicted.
                assert!(pool.release(claim));
            })
        };
        if let Some(claim) = pool.claim_listed(A, Owner::Program) {
            assert_eq!(claim.index, first.index);
        }
        other.join().unwrap();
    });
}

#[test]
fn a_list_evicted_for_another_callee_never_offers_that_callees_slots() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(first));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let claim = pool.claim_unused(B, Owner::Program).unwrap();
                pool.arm(claim, B, CHAIN);
                assert!(pool.release(claim));
            })
        };
        if let Some(claim) = pool.claim_listed(A, Owner::Program) {
            assert_eq!(claim.index, first.index);
        }
        other.join().unwrap();
    });
}

#[test]
fn a_slot_below_the_top_of_a_list_is_claimed_only_if_its_segment_is_visible() {
    loom::model(|| {
        let (pool, first) = full_but_for_the_list_of_a();
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                assert!(pool.slots().grow(0, usize::MAX));
                let claim = pool.claim_unused(A, Owner::Program).unwrap();
                pool.arm(claim, A, CHAIN);
                assert!(pool.release(claim));
            })
        };
        let claims = [pool.claim_listed(A, Owner::Program), pool.claim_listed(A, Owner::Program)];
        for claim in claims.into_iter().flatten() {
            pool.arm(claim, A, CHAIN);
            assert_whole(&pool, claim, A, CHAIN.addr());
            assert!(claim.index == first.index || claim.index as usize >= SLOTS);
        }
        other.join().unwrap();
    });
}

/// Two threads share a shard and its count of frees. One thread is slow, and a slot is freed twice in the meantime.
#[test]
fn a_slot_with_a_new_callee_is_not_reused_for_the_old_callee() {
    bounded_model(|pool| {
        let [slow, quick, slot] = [1, 2, 3].map(|chain| alloc(&pool, A, chain).unwrap());
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                assert!(pool.release(slow));
                if let Some(claim) = pool.claim_dead(slot.index, Owner::Program, None) {
                    pool.hand_over(claim, B);
                    pool.arm(claim, B, CHAIN);
                    assert!(pool.release(claim));
                }
            })
        };
        assert!(pool.release(quick));
        assert!(pool.release(slot));
        if let Some(claim) = pool.claim_fast(A, Owner::Program) {
            pool.arm(claim, A, CHAIN);
            assert_whole(&pool, claim, A, CHAIN.addr());
        }
        other.join().unwrap();
    });
}

/// Initializes a slot and adds it to A's list, first as the top and later below another slot.
fn grow_the_list(pool: &Shared) {
    let again = pool.claim_listed(A, Owner::Program).inspect(|&claim| pool.arm(claim, A, CHAIN));
    let opened = alloc(pool, A, 3).unwrap();
    assert!(pool.release(opened));
    again.map(|again| assert!(pool.release(again)));
}

/// A slot that is not initialized contains arbitrary data, which would break a list.
#[test]
fn a_list_contains_only_initialized_slots() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(first));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || grow_the_list(&pool))
        };
        let claim = pool.claim_listed(A, Owner::Program).inspect(|&claim| pool.arm(claim, A, CHAIN));
        other.join().unwrap();
        claim.map(|claim| assert!(pool.release(claim)));
        all_slots_can_be_claimed(&pool, 0);
    });
}

#[test]
fn pushing_a_slot_publishes_only_initialized_slots() {
    bounded_model(|pool| {
        let (first, mine) = (alloc(&pool, A, 1).unwrap(), alloc(&pool, A, 2).unwrap());
        assert!(pool.release(first));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || grow_the_list(&pool))
        };
        assert!(pool.release(mine));
        // The reader has seen only the slots that this thread published.
        let reader = {
            let pool = pool.clone();
            thread::spawn(move || {
                pool.claim_listed(A, Owner::Program);
                pool.claim_listed(A, Owner::Program);
            })
        };
        other.join().unwrap();
        reader.join().unwrap();
    });
}

#[test]
fn removing_a_lower_slot_publishes_only_initialized_slots() {
    bounded_model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(first));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || grow_the_list(&pool))
        };
        let relay = {
            let pool = pool.clone();
            thread::spawn(move || {
                pool.claim_listed(A, Owner::Program);
            })
        };
        pool.claim_listed(A, Owner::Program);
        other.join().unwrap();
        relay.join().unwrap();
    });
}

/// No trampoline is made for one of the claims. No thread may find the slot of this claim live, or reach a callee
/// through it, and the slot must not be lost.
#[test]
fn a_claim_without_a_trampoline_is_never_seen_as_live() {
    model(|pool| {
        let warm = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(warm));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let claim = pool.claim_listed(A, Owner::Compiler).unwrap();
                assert!(pool.release(claim));
            })
        };
        assert_eq!(pool.state_of(warm.index), SlotState::Dead { callee: A });
        assert!(pool.of_host(warm.index).is_none());
        assert_eq!(pool.read_as_stub(warm.index, Acquire).0, pool.slots().dead_procedure());
        other.join().unwrap();
        assert_eq!(pool.claim_listed(A, Owner::Program).map(|claim| claim.index), Some(warm.index));
        all_slots_can_be_claimed(&pool, 1);
    });
}
