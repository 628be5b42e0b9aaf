//! The table grows.

use super::*;

#[test]
fn two_threads_that_grow_at_once_add_one_area_and_share_it() {
    loom::model(|| {
        let pool = Arc::new(Pool::new(OwnTable::growing()));
        let grow = |pool: &Shared| {
            assert!(pool.slots().grow(0, usize::MAX));
            assert_eq!(pool.slots().added(), 1);
            let claim = pool.claim_unused(A, Kind::Own).unwrap();
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
fn a_slot_in_a_new_area_is_found_by_whoever_has_its_address() {
    loom::model(|| {
        let pool = Arc::new(Pool::new(OwnTable::growing()));
        let mail = Arc::new(AtomicUsize::new(0));
        let reader = {
            let (pool, mail) = (pool.clone(), mail.clone());
            thread::spawn(move || {
                let address = mail.load(Acquire);
                if address != 0 {
                    let Found::Live { procedure, chain, .. } = pool.find(address) else {
                        panic!("not found")
                    };
                    assert_eq!((procedure, chain), (A, CHAIN));
                }
            })
        };
        assert!(pool.slots().grow(0, usize::MAX));
        (0..SLOTS).for_each(|_| assert!(pool.claim_unused(B, Kind::Own).is_some()));
        let claim = pool.claim_unused(A, Kind::Own).unwrap();
        pool.arm(claim, A, CHAIN);
        mail.store(pool.stub(claim).addr(), Release);
        reader.join().unwrap();
    });
}

#[test]
fn whoever_sees_an_area_sees_it_whole() {
    loom::model(|| {
        let pool = Arc::new(Pool::new(OwnTable::growing()));
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
fn a_slot_of_an_area_is_not_read_before_it_is_open() {
    loom::model(|| {
        let pool = Arc::new(Pool::new(OwnTable::growing()));
        assert!(pool.slots().grow(0, usize::MAX));
        (0..SLOTS).for_each(|_| assert!(pool.claim_unused(B, Kind::Own).is_some()));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let claim = pool.claim_unused(A, Kind::Own).unwrap();
                pool.arm(claim, A, CHAIN);
            })
        };
        match pool.find(pool.slots().stub(SLOTS as u32).addr()) {
            Found::Live { procedure, chain, .. } => assert_eq!((procedure, chain), (A, CHAIN)),
            Found::Dead { procedure } => assert_eq!(procedure, A),
            Found::Unused => {}
            Found::Not(why) => panic!("{why:?}"),
        }
        other.join().unwrap();
    });
}
