//! The pool of parts without an operating system.

use super::{A, B, CHAIN};
use crate::claim::{Claim, Found, Kind};
use crate::compact::{Pool, Slot};
use crate::sync::{Acquire, AtomicUsize, Relaxed, Release};
use crate::table::{SLOTS, Stubs, TestTable};
use loom::sync::Arc;
use loom::thread;

type Shared = Arc<Pool<TestTable<Slot>>>;

fn model(f: impl Fn(Shared) + Send + Sync + 'static) {
    loom::model(move || f(Arc::new(Pool::new(TestTable::new()))));
}

/// Runs something on another thread.
fn beside<R: 'static>(pool: &Shared, run: impl FnOnce(&Shared) -> R + 'static) -> thread::JoinHandle<R> {
    let pool = pool.clone();
    thread::spawn(move || run(&pool))
}

fn alloc(pool: &Shared, procedure: *const (), chain: usize) -> Option<Claim> {
    let claim = pool.claim_cold(procedure, Kind::Own)?;
    pool.arm(claim, procedure, core::ptr::without_provenance_mut(chain));
    Some(claim)
}

/// What an owner finds in its own slot.
fn assert_whole(pool: &Shared, claim: Claim, procedure: *const (), chain: usize) {
    let chain = core::ptr::without_provenance_mut(chain);
    let whole = Found::Live { claim, procedure, callee: procedure, chain };
    assert_eq!(pool.find(pool.stub(claim).addr()), whole);
}

fn all_slots_can_be_claimed(pool: &Shared, live: usize) {
    for n in live..SLOTS {
        assert!(alloc(pool, B, n).is_some(), "a slot is lost");
    }
    assert!(alloc(pool, B, 0).is_none(), "a slot is there twice");
}

/// A table full of trampolines of B, but for the last one, of A.
fn full(pool: &Shared) -> Claim {
    for n in 1..SLOTS {
        alloc(pool, B, n).unwrap();
    }
    alloc(pool, A, SLOTS).unwrap()
}

#[test]
fn two_never_get_one_slot() {
    model(|pool| {
        let other = beside(&pool, |pool| {
            let claim = alloc(pool, A, 1).unwrap();
            assert_whole(pool, claim, A, 1);
        });
        let claim = alloc(&pool, A, 2).unwrap();
        assert_whole(&pool, claim, A, 2);
        other.join().unwrap();
        assert_whole(&pool, claim, A, 2);
        all_slots_can_be_claimed(&pool, 2);
    });
}

#[test]
fn two_who_make_and_free_lose_nothing() {
    model(|pool| {
        let run = |pool: &Shared, chain| {
            let claim = alloc(pool, A, chain).unwrap();
            assert_whole(pool, claim, A, chain);
            assert!(pool.release(claim));
        };
        let other = beside(&pool, move |pool| run(pool, 1));
        run(&pool, 2);
        other.join().unwrap();
        all_slots_can_be_claimed(&pool, 0);
    });
}

#[test]
fn what_the_late_owner_stored_comes_before_what_the_next_one_does() {
    model(|pool| {
        let claim = full(&pool);
        let other = beside(&pool, move |pool| assert!(pool.release(claim)));
        let again = alloc(&pool, B, 5);
        other.join().unwrap();
        if let Some(again) = again {
            assert_whole(&pool, again, B, 5);
            assert_eq!(pool.read_as_stub(again.index, Acquire), (B, core::ptr::without_provenance_mut(5)));
        }
        all_slots_can_be_claimed(&pool, SLOTS - 1 + again.is_some() as usize);
    });
}

#[test]
fn a_full_table_recovers_as_soon_as_one_is_freed() {
    model(|pool| {
        let last = full(&pool);
        let freed = Arc::new(AtomicUsize::new(0));
        let other = {
            let freed = freed.clone();
            beside(&pool, move |pool| {
                assert!(pool.release(last));
                freed.store(1, Release);
            })
        };
        let was_freed = freed.load(Acquire) == 1;
        let claim = alloc(&pool, B, 5);
        assert!(claim.is_some() || !was_freed, "refused while a slot was free");
        other.join().unwrap();
    });
}

/// One slot is always free, but not always the same.
#[test]
fn nobody_is_refused_while_a_slot_is_free() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        let others = [2, 3, 4].map(|chain| alloc(&pool, B, chain).unwrap());
        assert!(pool.release(others[2]));
        let other = beside(&pool, move |pool| {
            assert!(pool.release(first));
            // The other free slot, if that is still there: it served B last.
            assert!(alloc(pool, B, 5).is_some(), "refused while a slot was free");
        });
        assert!(pool.claim_cold(A, Kind::Own).is_some(), "refused while a slot was free");
        other.join().unwrap();
    });
}

/// The same, with two deaths that are counted at once.
#[test]
fn no_death_is_counted_away() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        let [second, ..] = [2, 3, 4].map(|chain| alloc(&pool, B, chain).unwrap());
        let other = beside(&pool, move |pool| {
            assert!(pool.release(first));
            assert!(alloc(pool, B, 5).is_some(), "refused while a slot was free");
        });
        assert!(pool.release(second));
        assert!(pool.claim_cold(A, Kind::Own).is_some(), "refused while a slot was free");
        other.join().unwrap();
    });
}

#[test]
fn a_slot_is_not_read_before_it_is_armed() {
    model(|pool| {
        let other = beside(&pool, |pool| alloc(pool, A, 1).unwrap());
        // Junk looks like anything.
        assert!(pool.live().count() <= 1);
        for index in 0..SLOTS as u32 {
            match pool.look(index) {
                Found::Live { procedure, callee, chain, .. } => {
                    assert_eq!((procedure, callee, chain.addr()), (A, A, 1));
                }
                Found::Dead { procedure } => assert!(procedure.is_null()),
                Found::Unused => {}
                Found::Not(why) => panic!("{why:?}"),
            }
        }
        other.join().unwrap();
    });
}

#[test]
fn a_slot_that_is_being_made_cannot_be_freed_by_a_guess() {
    model(|pool| {
        let other = beside(&pool, |pool| pool.claim_cold(A, Kind::Own).unwrap());
        let guess = TestTable::<Slot>::new().stub(0).addr();
        assert!(pool.release_at(guess).is_err());
        other.join().unwrap();
    });
}

#[test]
fn a_lookup_never_mixes_two_lives() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        let other = beside(&pool, move |pool| {
            assert!(pool.release(first));
            let second = alloc(pool, A, 2).unwrap();
            assert_eq!(second.index, first.index);
            second
        });
        let found = pool.look(first.index);
        let second = other.join().unwrap();
        match found {
            Found::Live { claim, chain, procedure, callee } => {
                assert_eq!((procedure, callee), (A, A));
                let whole = (claim, chain.addr());
                assert!(whole == (first, 1) || whole == (second, 2), "{whole:x?}");
            }
            Found::Dead { procedure } => assert!(procedure.is_null() || procedure == A),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn a_lookup_never_mixes_two_procedures() {
    model(|pool| {
        let first = full(&pool);
        let other = beside(&pool, move |pool| {
            assert!(pool.release(first));
            alloc(pool, B, 2).unwrap();
        });
        match pool.look(first.index) {
            Found::Live { procedure, callee, chain, claim } if claim == first => {
                assert_eq!((procedure, callee, chain.addr()), (A, A, SLOTS));
            }
            Found::Live { procedure, callee, chain, .. } => {
                assert_eq!((procedure, callee, chain.addr()), (B, B, 2));
            }
            Found::Dead { .. } => {}
            other => panic!("{other:?}"),
        }
        other.join().unwrap();
    });
}

#[test]
fn a_call_during_the_free_never_gives_the_late_callee_a_death_record() {
    model(|pool| {
        let claim = alloc(&pool, A, CHAIN.addr()).unwrap();
        let caller = beside(&pool, move |pool| pool.read_as_stub(claim.index, Acquire));
        assert!(pool.release(claim));
        let (callee, chain) = caller.join().unwrap();
        assert!(callee.addr() == TestTable::<Slot>::DEAD || (chain, callee) == (CHAIN, A));
    });
}

#[test]
fn a_dead_call_names_the_procedure_that_died_or_none() {
    model(|pool| {
        let claim = full(&pool);
        assert!(pool.release(claim));
        let (_, record) = pool.read_as_stub(claim.index, Acquire);
        assert_eq!(pool.late_procedure(record.addr()), Some((claim.index, A)));
        let caller = beside(&pool, move |pool| {
            let (callee, chain) = pool.read_as_stub(claim.index, Relaxed);
            if callee.addr() == TestTable::<Slot>::DEAD && chain.addr() != 1 {
                let procedure = if chain == record { A } else { B };
                let named = pool.late_procedure(chain.addr());
                assert!(named.is_none() || named == Some((claim.index, procedure)), "{named:?}");
            }
        });
        let again = alloc(&pool, B, 1).unwrap();
        assert!(pool.release(again));
        caller.join().unwrap();
        assert_eq!(pool.late_procedure(record.addr()), None);
    });
}
