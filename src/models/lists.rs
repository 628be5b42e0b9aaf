//! Two threads share a line: a list may lead anywhere, but never into what its reader has not seen, and the numbers of
//! a slot's lives do not come back.

use super::*;

/// A pool that may grow. The table is full but for one slot, which is dead and heads the list of A.
fn full_but_for_the_list_of_a() -> (Shared, Claim) {
    let pool = Arc::new(Pool::new(OwnTable::growing()));
    let first = alloc(&pool, A, 1).unwrap();
    (1..SLOTS).for_each(|n| assert!(pool.claim_unused(B, Kind::Own).is_some(), "slot {n}"));
    assert!(pool.release(first));
    (pool, first)
}

#[test]
fn a_list_leads_into_a_new_area_only_who_sees_it() {
    loom::model(|| {
        let (pool, first) = full_but_for_the_list_of_a();
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                assert!(pool.slots().grow(0, usize::MAX));
                let claim = pool.claim_unused(B, Kind::Own).unwrap();
                pool.arm(claim, B, CHAIN);
                // B has no list yet, so that of A gives way.
                assert!(pool.release(claim));
            })
        };
        if let Some(claim) = pool.claim_again(A, Kind::Own) {
            assert_eq!(claim.index, first.index);
        }
        other.join().unwrap();
    });
}

#[test]
fn a_list_that_another_procedure_takes_over_leads_to_open_slots_only() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(first));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let claim = pool.claim_unused(B, Kind::Own).unwrap();
                pool.arm(claim, B, CHAIN);
                assert!(pool.release(claim));
            })
        };
        if let Some(claim) = pool.claim_warm(A, Kind::Own) {
            assert_eq!(claim.index, first.index);
        }
        other.join().unwrap();
    });
}

#[test]
fn the_slots_below_lead_into_a_new_area_only_who_sees_it() {
    loom::model(|| {
        let (pool, first) = full_but_for_the_list_of_a();
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                assert!(pool.slots().grow(0, usize::MAX));
                let claim = pool.claim_unused(A, Kind::Own).unwrap();
                pool.arm(claim, A, CHAIN);
                assert!(pool.release(claim));
            })
        };
        let claims = [pool.claim_warm(A, Kind::Own), pool.claim_warm(A, Kind::Own)];
        for claim in claims.into_iter().flatten() {
            pool.arm(claim, A, CHAIN);
            assert_whole(&pool, claim, A, CHAIN.addr());
            assert!(claim.index == first.index || claim.index as usize >= SLOTS);
        }
        other.join().unwrap();
    });
}

/// Two threads that share a line count the same deaths, and one of them slowly: a slot dies twice meanwhile.
#[test]
fn a_slot_whose_procedure_has_changed_is_not_taken_for_the_late_one() {
    bounded_model(|pool| {
        let [slow, quick, slot] = [1, 2, 3].map(|chain| alloc(&pool, A, chain).unwrap());
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                assert!(pool.release(slow));
                if let Some(claim) = pool.claim_dead(slot.index, Kind::Own, |_| true) {
                    pool.hand_over(claim, B);
                    pool.arm(claim, B, CHAIN);
                    assert!(pool.release(claim));
                }
            })
        };
        assert!(pool.release(quick));
        assert!(pool.release(slot));
        if let Some(claim) = pool.claim_again(A, Kind::Own) {
            pool.arm(claim, A, CHAIN);
            assert_whole(&pool, claim, A, CHAIN.addr());
        }
        other.join().unwrap();
    });
}
