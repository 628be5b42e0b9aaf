//! Models of the table's growth.

use super::*;

/// Runs a model twice, once with the added segment in the row and once with the segment outside it.
fn model_of_each_growing_table(f: fn(Shared)) {
    for table in [OwnTable::growing, OwnTable::growing_without_row] {
        loom::model(move || f(Arc::new(Pool::new(table()))));
    }
}

#[test]
fn two_threads_that_grow_concurrently_share_one_segment() {
    loom::model(|| {
        let pool = Arc::new(Pool::new(OwnTable::growing()));
        let grow = |pool: &Shared| {
            assert!(pool.slots().grow(0, usize::MAX));
            assert_eq!(pool.slots().added(), 1);
            let claim = pool.claim_unused(A, Owner::Program).unwrap();
            pool.arm(claim, A, CHAIN);
            claim
        };
        (0..SLOTS).for_each(|n| assert!(alloc(&pool, B, n).is_some()));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || grow(&pool))
        };
        let claim = grow(&pool);
        let others = other.join().unwrap();
        assert!(
            claim.index as usize >= SLOTS && others.index as usize >= SLOTS && claim.index != others.index
        );
        assert_whole(&pool, claim, A, CHAIN.addr());
        assert!(pool.release(others));
    });
}

#[test]
fn a_slot_in_a_new_segment_is_found_by_its_address() {
    model_of_each_growing_table(|pool| {
        let mail = Arc::new(AtomicUsize::new(0));
        let reader = {
            let (pool, mail) = (pool.clone(), mail.clone());
            thread::spawn(move || {
                let address = mail.load(Acquire);
                if address != 0 {
                    let SlotState::Live { callee, chain, .. } = pool.find(address) else {
                        panic!("not found")
                    };
                    assert_eq!((callee, chain), (A, CHAIN));
                }
            })
        };
        assert!(pool.slots().grow(0, usize::MAX));
        (0..SLOTS).for_each(|_| assert!(pool.claim_unused(B, Owner::Program).is_some()));
        let claim = pool.claim_unused(A, Owner::Program).unwrap();
        pool.arm(claim, A, CHAIN);
        mail.store(pool.stub(claim).addr(), Release);
        reader.join().unwrap();
    });
}

#[test]
fn a_visible_segment_is_complete() {
    model_of_each_growing_table(|pool| {
        let reader = {
            let pool = pool.clone();
            thread::spawn(move || {
                if pool.slots().added() == 1 {
                    let first = OwnTable::new().stub(SLOTS as u32).addr();
                    assert_eq!(pool.slots().index_of(first), Ok(SLOTS as u32));
                }
            })
        };
        assert!(pool.slots().grow(0, usize::MAX));
        reader.join().unwrap();
    });
}

#[test]
fn a_segment_slot_is_not_read_before_it_is_initialized() {
    model_of_each_growing_table(|pool| {
        assert!(pool.slots().grow(0, usize::MAX));
        (0..SLOTS).for_each(|_| assert!(pool.claim_unused(B, Owner::Program).is_some()));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let claim = pool.claim_unused(A, Owner::Program).unwrap();
                pool.arm(claim, A, CHAIN);
            })
        };
        match pool.find(pool.slots().stub(SLOTS as u32).addr()) {
            SlotState::Live { callee, chain, .. } => assert_eq!((callee, chain), (A, CHAIN)),
            SlotState::Dead { callee } => assert_eq!(callee, A),
            SlotState::Unused => {}
            SlotState::Not(why) => panic!("{why:?}"),
        }
        other.join().unwrap();
    });
}

#[test]
fn two_threads_that_find_the_table_full_each_get_a_slot() {
    bounded_model_on(OwnTable::growing, |pool| {
        (0..SLOTS).for_each(|n| assert!(alloc(&pool, B, n).is_some()));
        let find = |pool: &Shared| {
            let found = pool.claim_or_grow(A, Owner::Program, || 2 * SLOTS);
            let Some(claim) = found else { panic!("a claim was rejected while the table could grow") };
            pool.arm(claim, A, CHAIN);
            claim
        };
        let other = {
            let pool = pool.clone();
            thread::spawn(move || find(&pool).index)
        };
        let claim = find(&pool);
        assert_ne!(other.join().unwrap(), claim.index);
        assert_whole(&pool, claim, A, CHAIN.addr());
    });
}
