//! loom's models: what holds in every order that the memory model allows.
//!
//! Four slots, bitmap words of two bits, one line for all threads: the smallest pool in
//! which every path exists. `tests/run loom` runs these, `tests/run mutants` shows that
//! each ordering they are to prove is needed.

mod compact;
#[cfg(feature = "alloc")]
mod functions;
mod growth;
mod lists;
mod program;

use crate::claim::Kind;
use crate::pool::{Claim, Found, Pool};
use crate::sync::{Acquire, AtomicUsize, Relaxed, Release};
use crate::table::{OwnTable, SLOTS, Stubs};
use loom::sync::Arc;
use loom::thread;

type Shared = Arc<Pool<OwnTable>>;

const A: *const () = core::ptr::without_provenance(0x1001_0000);
const B: *const () = core::ptr::without_provenance(0x1002_0000);
const CHAIN: *mut () = core::ptr::without_provenance_mut(0x77);

fn model(f: impl Fn(Shared) + Send + Sync + 'static) {
    loom::model(move || f(Arc::new(Pool::new(OwnTable::new()))));
}

/// With three threads, or long: two preemptions, whatever `LOOM_MAX_PREEMPTIONS` says.
fn bounded_model(f: impl Fn(Shared) + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(move || f(Arc::new(Pool::new(OwnTable::new()))));
}

fn alloc(pool: &Shared, procedure: *const (), chain: usize) -> Option<Claim> {
    let claim = pool.claim(procedure, Kind::Own)?;
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

#[test]
fn two_threads_never_get_one_slot() {
    model(|pool| {
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let claim = alloc(&pool, A, 1).unwrap();
                assert_whole(&pool, claim, A, 1);
            })
        };
        let claim = alloc(&pool, A, 2).unwrap();
        assert_whole(&pool, claim, A, 2);
        other.join().unwrap();
        assert_whole(&pool, claim, A, 2);
        all_slots_can_be_claimed(&pool, 2);
    });
}

#[test]
fn two_threads_making_and_freeing_share_a_line_and_lose_nothing() {
    model(|pool| {
        let run = |pool: &Shared, chain| {
            let claim = alloc(pool, A, chain).unwrap();
            assert_whole(pool, claim, A, chain);
            assert!(pool.release(claim));
        };
        let other = {
            let pool = pool.clone();
            thread::spawn(move || run(&pool, 1))
        };
        run(&pool, 2);
        other.join().unwrap();
        all_slots_can_be_claimed(&pool, 0);
    });
}

#[test]
fn a_warm_slot_is_taken_by_one_of_two() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(first));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let claim = alloc(&pool, A, 2).unwrap();
                assert_whole(&pool, claim, A, 2);
                claim
            })
        };
        let claim = alloc(&pool, A, 3).unwrap();
        assert_whole(&pool, claim, A, 3);
        assert_ne!(other.join().unwrap().index, claim.index);
    });
}

#[test]
fn a_trampoline_passed_on_is_called_with_its_chain() {
    model(|pool| {
        let stale = alloc(&pool, B, 9).unwrap();
        pool.release(stale);
        let mail = Arc::new(AtomicUsize::new(0));
        let caller = {
            let (pool, mail) = (pool.clone(), mail.clone());
            thread::spawn(move || {
                if mail.load(Acquire) != 0 {
                    let index = mail.load(Relaxed) as u32 - 1;
                    assert_eq!(pool.read_as_stub(index), (B, CHAIN));
                }
            })
        };
        let claim = alloc(&pool, B, CHAIN.addr()).unwrap();
        mail.store(claim.index as usize + 1, Release);
        caller.join().unwrap();
    });
}

#[test]
fn a_trampoline_freed_on_another_thread_serves_again() {
    model(|pool| {
        let claim = alloc(&pool, A, 1).unwrap();
        let other = {
            let pool = pool.clone();
            thread::spawn(move || assert!(pool.release(claim)))
        };
        let again = alloc(&pool, A, 2).unwrap();
        assert_whole(&pool, again, A, 2);
        other.join().unwrap();
        all_slots_can_be_claimed(&pool, 1);
    });
}

#[test]
fn the_indices_of_a_thread_that_ends_are_not_lost() {
    model(|pool| {
        let worker = {
            let pool = pool.clone();
            thread::spawn(move || {
                let claims = [alloc(&pool, A, 1).unwrap(), alloc(&pool, A, 2).unwrap()];
                claims.into_iter().for_each(|claim| assert!(pool.release(claim)));
            })
        };
        worker.join().unwrap();
        all_slots_can_be_claimed(&pool, 0);
    });
}

/// Opens a slot that the list of A then leads to, as its top and from below another slot.
fn grow_the_list(pool: &Shared) {
    let again = pool.claim_warm(A, Kind::Own).inspect(|&claim| pool.arm(claim, A, CHAIN));
    let opened = alloc(pool, A, 3).unwrap();
    assert!(pool.release(opened));
    again.map(|again| assert!(pool.release(again)));
}

/// A slot that is not open is full of junk, which no list could survive.
#[test]
fn a_list_leads_to_open_slots_only() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(first));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || grow_the_list(&pool))
        };
        let claim = pool.claim_warm(A, Kind::Own).inspect(|&claim| pool.arm(claim, A, CHAIN));
        other.join().unwrap();
        claim.map(|claim| assert!(pool.release(claim)));
        all_slots_can_be_claimed(&pool, 0);
    });
}

#[test]
fn putting_a_slot_on_a_list_passes_on_open_slots_only() {
    bounded_model(|pool| {
        let (first, mine) = (alloc(&pool, A, 1).unwrap(), alloc(&pool, A, 2).unwrap());
        assert!(pool.release(first));
        let other = {
            let pool = pool.clone();
            thread::spawn(move || grow_the_list(&pool))
        };
        assert!(pool.release(mine));
        // What this thread passed on must do for a thread that knows nothing else.
        let reader = {
            let pool = pool.clone();
            thread::spawn(move || {
                pool.claim_warm(A, Kind::Own);
                pool.claim_warm(A, Kind::Own);
            })
        };
        other.join().unwrap();
        reader.join().unwrap();
    });
}

#[test]
fn taking_a_slot_from_below_passes_on_open_slots_only() {
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
                pool.claim_warm(A, Kind::Own);
            })
        };
        pool.claim_warm(A, Kind::Own);
        other.join().unwrap();
        relay.join().unwrap();
    });
}

/// A full table but for one slot, which is dead and served A.
fn full_but_for_one(pool: &Shared) -> Claim {
    for n in 1..SLOTS {
        alloc(pool, B, n).unwrap();
    }
    let claim = alloc(pool, A, SLOTS).unwrap();
    assert!(alloc(pool, B, 0).is_none());
    claim
}

#[test]
fn a_slot_that_a_sweep_takes_never_comes_back_as_one_of_the_late_procedure() {
    model(|pool| {
        let slot = alloc(&pool, A, 1).unwrap();
        pool.release(slot);
        let sweep = {
            let pool = pool.clone();
            thread::spawn(move || {
                if let Some(claim) = pool.claim_dead(slot.index, Kind::Own, |_| true) {
                    pool.hand_over(claim, B);
                    pool.arm(claim, B, CHAIN);
                    assert_whole(&pool, claim, B, CHAIN.addr());
                    assert!(pool.release(claim));
                }
            })
        };
        if let Some(claim) = pool.claim_warm(A, Kind::Own) {
            pool.arm(claim, A, CHAIN);
            assert_whole(&pool, claim, A, CHAIN.addr());
        }
        sweep.join().unwrap();
    });
}

#[test]
fn a_sweep_hands_over_what_another_thread_freed() {
    model(|pool| {
        let last = full_but_for_one(&pool);
        let other = {
            let pool = pool.clone();
            thread::spawn(move || assert!(pool.release(last)))
        };
        let claim = pool.claim_dead(last.index, Kind::Own, |_| true);
        if let Some(claim) = claim {
            pool.hand_over(claim, B);
            pool.arm(claim, B, CHAIN);
            assert_whole(&pool, claim, B, CHAIN.addr());
        }
        other.join().unwrap();
        all_slots_can_be_claimed(&pool, SLOTS - 1 + claim.is_some() as usize);
    });
}

#[test]
fn a_full_table_recovers_as_soon_as_one_is_freed() {
    model(|pool| {
        let last = full_but_for_one(&pool);
        let freed = Arc::new(AtomicUsize::new(0));
        let other = {
            let (pool, freed) = (pool.clone(), freed.clone());
            thread::spawn(move || {
                assert!(pool.release(last));
                freed.store(1, Release);
            })
        };
        let was_freed = freed.load(Acquire) == 1;
        let claim = alloc(&pool, B, 5);
        if let Some(claim) = claim {
            assert_whole(&pool, claim, B, 5);
        }
        assert!(claim.is_some() || !was_freed, "refused while a slot was free");
        other.join().unwrap();
        all_slots_can_be_claimed(&pool, SLOTS - 1 + claim.is_some() as usize);
    });
}

#[test]
fn a_slot_is_not_read_before_it_is_open() {
    model(|pool| {
        let other = {
            let pool = pool.clone();
            thread::spawn(move || alloc(&pool, A, 1).unwrap())
        };
        // Junk looks live: a slot read too early would be counted and found.
        assert!(pool.live().count() <= 1);
        for index in 0..SLOTS {
            match pool.find(OwnTable::new().stub(index as u32).addr()) {
                Found::Live { procedure, chain, .. } => {
                    assert_eq!((procedure, chain.addr()), (A, 1));
                }
                Found::Dead { procedure } => assert_eq!(procedure, A),
                Found::Unused => {}
                Found::Not(why) => panic!("{why:?}"),
            }
        }
        other.join().unwrap();
    });
}

#[test]
fn a_slot_that_is_being_opened_cannot_be_freed_by_a_guess() {
    model(|pool| {
        let other = {
            let pool = pool.clone();
            thread::spawn(move || pool.claim(A, Kind::Own).unwrap())
        };
        let guess = OwnTable::new().stub(0).addr();
        assert!(pool.release_at(guess).is_err());
        other.join().unwrap();
    });
}

#[test]
fn a_lookup_never_mixes_two_lives() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        let address = pool.stub(first).addr();
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                assert!(pool.release(first));
                let second = alloc(&pool, A, 2).unwrap();
                assert_eq!(second.index, first.index);
                second
            })
        };
        let found = pool.find(address);
        let second = other.join().unwrap();
        match found {
            Found::Live { claim, chain, procedure, callee } => {
                assert_eq!((procedure, callee), (A, A));
                let whole = (claim, chain.addr());
                assert!(whole == (first, 1) || whole == (second, 2), "{whole:x?}");
            }
            Found::Dead { procedure } => assert_eq!(procedure, A),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn a_lookup_never_mixes_two_procedures() {
    model(|pool| {
        let first = full_but_for_one(&pool);
        let address = pool.stub(first).addr();
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                assert!(pool.release(first));
                alloc(&pool, B, 2).unwrap();
            })
        };
        match pool.find(address) {
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
        let caller = {
            let pool = pool.clone();
            thread::spawn(move || pool.read_as_stub(claim.index))
        };
        assert!(pool.release(claim));
        let (callee, chain) = caller.join().unwrap();
        assert!(callee.addr() == OwnTable::DEAD || (chain, callee) == (CHAIN, A));
    });
}

#[test]
fn a_dead_call_names_the_procedure_that_died() {
    model(|pool| {
        let claim = alloc(&pool, A, 1).unwrap();
        let caller = {
            let pool = pool.clone();
            thread::spawn(move || {
                let (callee, chain) = pool.read_as_stub(claim.index);
                if callee.addr() == OwnTable::DEAD && chain.addr() != 1 {
                    assert_eq!(pool.late_procedure(chain.addr()), Some((claim.index, A)));
                }
            })
        };
        assert!(pool.release(claim));
        caller.join().unwrap();
        let (_, record) = pool.read_as_stub(claim.index);
        assert_eq!(pool.late_procedure(record.addr()), Some((claim.index, A)));
    });
}

#[test]
fn of_two_who_reclaim_one_gets_the_slot_and_it_serves_again() {
    model(|pool| {
        let claim = pool.claim(A, Kind::Host).unwrap();
        pool.arm(claim, A, CHAIN);
        let other = {
            let pool = pool.clone();
            thread::spawn(move || pool.reclaim(|_, chain| chain == CHAIN))
        };
        let mine = pool.reclaim(|_, chain| chain == CHAIN);
        assert_eq!(mine + other.join().unwrap(), 1);
        all_slots_can_be_claimed(&pool, 0);
    });
}
