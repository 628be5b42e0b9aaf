//! Models of the pool for bare-metal targets.

use super::{CHAIN, calls_during_a_retarget};
use crate::pool::bare::{Pool, Slot};
use crate::pool::fake::TestTable;
use crate::pool::{Owner, SLOTS, SlotPool, SlotState, Stubs};
use crate::sync::exchange::{choose_section, has_section};
use crate::sync::section::Exchanges;
use crate::sync::{Acquire, AtomicUsize, Relaxed, Release};
use crate::tests::exercise::{A, B, all_slots_can_be_claimed, alloc, assert_whole, full_but_for_one};
use loom::sync::Arc;
use loom::thread;

extern crate std;

type Shared = Arc<Pool<TestTable<Slot>>>;

/// Runs a model twice: with the processor's exchanges, and with critical sections, which do not exclude loads and
/// stores. Loom runs all threads of a model on one system thread, so every thread sees this choice.
fn model(f: impl Fn(Shared) + Send + Sync + 'static) {
    let f = std::sync::Arc::new(f);
    for section in [false, true] {
        let f = f.clone();
        choose_section(section);
        loom::model(move || f(Arc::new(Pool::new(TestTable::new()))));
    }
}

/// Runs a function on another thread.
fn beside<R: 'static>(pool: &Shared, run: impl FnOnce(&Shared) -> R + 'static) -> thread::JoinHandle<R> {
    let pool = pool.clone();
    thread::spawn(move || run(&pool))
}

/// The end of a call is counted in a section, but the code that frees the closure loads the count outside any section.
#[test]
fn a_load_outside_a_section_sees_stores_before_an_exchange_inside_one() {
    loom::model(|| {
        let [data, calls] = [0, 1].map(|value| Arc::new(AtomicUsize::new(value)));
        let seen = (data.clone(), calls.clone());
        let other = thread::spawn(move || seen.1.load(Acquire) == 1 || seen.0.load(Relaxed) == 1);
        data.store(1, Relaxed);
        Exchanges::fetch_sub(&*calls, 1, Release);
        assert!(other.join().unwrap());
    });
}

/// A call to a closure that modifies its captures ends outside any section, but the next call begins in a section.
#[test]
fn an_exchange_in_a_section_acquires_from_a_store_outside() {
    loom::model(|| {
        let [data, busy] = [0, 1].map(|value| Arc::new(AtomicUsize::new(value)));
        let ends = (data.clone(), busy.clone());
        let other = thread::spawn(move || {
            ends.0.store(1, Relaxed);
            ends.1.store(0, Release);
        });
        assert!(Exchanges::swap(&*busy, 1, Acquire) == 1 || data.load(Relaxed) == 1);
        other.join().unwrap();
    });
}

#[test]
fn two_threads_never_claim_the_same_bare_slot() {
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
fn two_threads_claiming_and_freeing_lose_no_slot() {
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
fn the_former_owners_stores_precede_the_next_owners_stores() {
    model(|pool| {
        let claim = full_but_for_one(&pool);
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
fn a_full_table_has_a_slot_as_soon_as_one_is_freed() {
    model(|pool| {
        let last = full_but_for_one(&pool);
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
        assert!(claim.is_some() || !was_freed, "a claim was rejected while a slot was free");
        other.join().unwrap();
    });
}

/// At any time at least one slot is free, but not always the same slot.
#[test]
fn no_claim_fails_while_a_slot_is_free() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        let others = [2, 3, 4].map(|chain| alloc(&pool, B, chain).unwrap());
        assert!(pool.release(others[2]));
        let other = beside(&pool, move |pool| {
            assert!(pool.release(first));
            // This call claims the other slot, whose former callee is B, if that slot is still free.
            assert!(alloc(pool, B, 5).is_some(), "a claim was rejected while a slot was free");
        });
        assert!(pool.claim_slow(A, Owner::Program).is_some(), "a claim was rejected while a slot was free");
        other.join().unwrap();
    });
}

/// Each of two threads frees a slot and then claims one, so a slot is free during each claim. The two frees are counted
/// concurrently, and without atomic exchange, one may go uncounted. A claim that runs at that moment might then fail,
/// but no slot is lost, and the next claim succeeds.
#[test]
fn concurrent_frees_fail_at_most_one_claim() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        let [second, ..] = [2, 3, 4].map(|chain| alloc(&pool, B, chain).unwrap());
        let other = beside(&pool, move |pool| {
            assert!(pool.release(first));
            alloc(pool, B, 5).is_some()
        });
        assert!(pool.release(second));
        let here = pool.claim_slow(A, Owner::Program).is_some();
        let there = other.join().unwrap();
        assert!(here && there || has_section(), "a claim was rejected while a slot was free");
        assert!(here || there, "both claims were rejected");
        all_slots_can_be_claimed(&pool, SLOTS - 2 + here as usize + there as usize);
    });
}

#[test]
fn a_slot_is_not_read_before_its_trampoline_is_complete() {
    model(|pool| {
        let other = beside(&pool, |pool| alloc(pool, A, 1).unwrap());
        // The arbitrary data in an unused slot may look live.
        assert!(pool.live().count() <= 1);
        for index in 0..SLOTS as u32 {
            match pool.state_of(index) {
                SlotState::Live { callee, entry, chain, .. } => {
                    assert_eq!((callee, entry, chain.addr()), (A, A, 1));
                }
                SlotState::Dead { callee } => assert!(callee.is_null()),
                SlotState::Unused => {}
                SlotState::Not(why) => panic!("{why:?}"),
            }
        }
        other.join().unwrap();
    });
}

#[test]
fn a_guessed_address_cannot_free_a_slot_being_claimed() {
    model(|pool| {
        let other = beside(&pool, |pool| pool.claim_slow(A, Owner::Program).unwrap());
        let guess = TestTable::<Slot>::new().stub(0).addr();
        assert!(pool.release_slow(guess).is_err());
        other.join().unwrap();
    });
}

#[test]
fn a_lookup_never_mixes_two_generations() {
    model(|pool| {
        let first = alloc(&pool, A, 1).unwrap();
        let other = beside(&pool, move |pool| {
            assert!(pool.release(first));
            let second = alloc(pool, A, 2).unwrap();
            assert_eq!(second.index, first.index);
            second
        });
        let found = pool.state_of(first.index);
        let second = other.join().unwrap();
        match found {
            SlotState::Live { claim, chain, callee, entry } => {
                assert_eq!((callee, entry), (A, A));
                let whole = (claim, chain.addr());
                assert!(whole == (first, 1) || whole == (second, 2), "{whole:x?}");
            }
            SlotState::Dead { callee } => assert!(callee.is_null() || callee == A),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn a_lookup_never_mixes_two_callees() {
    model(|pool| {
        let first = full_but_for_one(&pool);
        let other = beside(&pool, move |pool| {
            assert!(pool.release(first));
            alloc(pool, B, 2).unwrap();
        });
        match pool.state_of(first.index) {
            SlotState::Live { callee, entry, chain, claim } if claim == first => {
                assert_eq!((callee, entry, chain.addr()), (A, A, SLOTS));
            }
            SlotState::Live { callee, entry, chain, .. } => {
                assert_eq!((callee, entry, chain.addr()), (B, B, 2));
            }
            SlotState::Dead { .. } => {}
            other => panic!("{other:?}"),
        }
        other.join().unwrap();
    });
}

#[test]
fn a_call_during_free_never_passes_a_free_record_as_the_chain() {
    model(|pool| {
        let claim = alloc(&pool, A, CHAIN.addr()).unwrap();
        let caller = beside(&pool, move |pool| pool.read_as_stub(claim.index, Acquire));
        assert!(pool.release(claim));
        let (entry, chain) = caller.join().unwrap();
        assert!(entry.addr() == TestTable::<Slot>::DEAD || (chain, entry) == (CHAIN, A));
    });
}

#[test]
fn a_caller_that_sees_the_new_chain_sees_its_data() {
    model(|pool| {
        let claim = alloc(&pool, A, 1).unwrap();
        let prepared = Arc::new(AtomicUsize::new(0));
        let caller = {
            let prepared = prepared.clone();
            beside(&pool, move |pool| {
                if pool.read_as_stub(claim.index, Acquire).1 == CHAIN {
                    assert_eq!(prepared.load(Relaxed), 1);
                }
            })
        };
        prepared.store(1, Relaxed);
        pool.set_chain(claim, CHAIN);
        caller.join().unwrap();
    });
}

#[test]
fn a_call_during_retarget_may_pass_either_chain_to_either_callee() {
    calls_during_a_retarget(|| Pool::new(TestTable::<Slot>::new()));
}

#[test]
fn a_call_after_free_reports_the_former_callee_or_none() {
    model(|pool| {
        let claim = full_but_for_one(&pool);
        assert!(pool.release(claim));
        let (_, record) = pool.read_as_stub(claim.index, Acquire);
        assert_eq!(pool.former_callee(record.addr()), Some((claim.index, A)));
        let caller = beside(&pool, move |pool| {
            let (entry, chain) = pool.read_as_stub(claim.index, Relaxed);
            if entry.addr() == TestTable::<Slot>::DEAD && chain.addr() != 1 {
                let callee = if chain == record { A } else { B };
                let named = pool.former_callee(chain.addr());
                assert!(named.is_none() || named == Some((claim.index, callee)), "{named:?}");
            }
        });
        let again = alloc(&pool, B, 1).unwrap();
        assert!(pool.release(again));
        caller.join().unwrap();
        assert_eq!(pool.former_callee(record.addr()), None);
    });
}
