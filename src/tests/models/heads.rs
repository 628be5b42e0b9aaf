//! Models of the shared list heads and of the row: hints that lead to a slot only if its contents are visible.

use super::*;

/// The threads share one shard, which has one list. A list that is replaced there moves to the shared head.
#[test]
fn a_list_moved_to_the_shared_heads_contains_only_initialized_slots() {
    bounded_model(|pool| {
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let (a, b) = (alloc(&pool, A, 1).unwrap(), alloc(&pool, B, 2).unwrap());
                assert!(pool.release(a));
                assert!(pool.release(b)); // the list of A moves
            })
        };
        if let Some(claim) = pool.claim_listed(A, Owner::Program) {
            pool.arm(claim, A, CHAIN);
            assert_whole(&pool, claim, A, CHAIN.addr());
        }
        other.join().unwrap();
    });
}

/// A slot that goes on top of a list in the shared heads is open for each thread that finds it there.
#[test]
fn a_slot_pushed_to_the_shared_heads_is_initialized() {
    bounded_model(|pool| {
        let (a, b) = (alloc(&pool, A, 1).unwrap(), alloc(&pool, B, 2).unwrap());
        assert!(pool.release(a));
        assert!(pool.release(b)); // the list of A moves
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let again = pool.claim_unused(A, Owner::Program).unwrap();
                pool.arm(again, A, CHAIN);
                assert!(pool.release(again));
            })
        };
        if let Some(claim) = pool.claim_listed(A, Owner::Program) {
            pool.arm(claim, A, CHAIN);
            assert_whole(&pool, claim, A, CHAIN.addr());
        }
        other.join().unwrap();
    });
}

/// Two callees that collide: the heads may offer a slot of the other callee, which is not used.
#[test]
fn a_shared_head_of_another_callee_is_not_used() {
    model(|pool| {
        let (a, b) = (alloc(&pool, A, 1).unwrap(), alloc(&pool, B, 2).unwrap());
        assert!(pool.release(a));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || assert!(pool.release(b)))
        };
        if let Some(claim) = pool.claim_listed(A, Owner::Program) {
            assert_eq!(claim.index, a.index);
        }
        other.join().unwrap();
        all_slots_can_be_claimed(&pool, pool.live().count());
    });
}

/// A thread that finds a slot by arithmetic sees the segment.
#[test]
fn an_index_in_the_row_is_used_only_if_the_segment_is_visible() {
    loom::model(|| {
        let pool = Arc::new(Pool::new(OwnTable::growing()));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || assert!(pool.slots().grow(0, usize::MAX)))
        };
        let first = OwnTable::new().stub(SLOTS as u32).addr();
        assert!(matches!(pool.find(first), SlotState::Unused | SlotState::Not(_)));
        assert!(!pool.release_in_row(first));
        other.join().unwrap();
        assert_eq!(pool.slots().index_in_row(first).map(|(_, index)| index), Some(SLOTS as u32));
    });
}

/// The fast paths in the row: a slot that one thread frees is made again by only one of two.
#[test]
fn a_slot_of_the_row_is_claimed_by_only_one_of_two_threads() {
    bounded_model_on(OwnTable::growing, |pool| {
        assert!(pool.slots().grow(0, usize::MAX));
        (0..SLOTS).for_each(|_| assert!(pool.claim_unused(B, Owner::Program).is_some()));
        let first = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(first));
        let make = |pool: &Shared| pool.make_in_row(A, Owner::Program, A, CHAIN);
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let made = make(&pool).map(|stub| stub.addr());
                made.is_some_and(|address| pool.release_in_row(address))
            })
        };
        let made = make(&pool).map(|stub| stub.addr());
        let other = other.join().unwrap();
        assert!(made.is_some() || other, "the slot is lost");
        if let Some(address) = made {
            let SlotState::Live { callee, chain, .. } = pool.find(address) else { panic!("not live") };
            assert_eq!((callee, chain), (A, CHAIN));
        }
    });
}
