//! loom models of properties that must hold for every order of accesses that the memory model allows.
//!
//! The pool has four slots, bitmap words of two bits, and one shard for all threads. A smaller pool would not exercise
//! every path. `tests/run loom` runs these models. `tests/run mutants` shows that the models detect weakened orderings,
//! except those listed in `tests/proofs/survivors.txt`.

mod bare;
mod chunks;
mod full;
mod growth;
mod heads;
mod lists;
mod marks;
mod names;
mod program;
mod rooms;

use crate::pool::fake::OwnTable;
use crate::pool::{Claim, Owner, Pool, SLOTS, SlotPool, SlotState, Stubs};
use crate::sync::{Acquire, AtomicUsize, Relaxed, Release};
use crate::tests::exercise::{A, B, all_slots_can_be_claimed, alloc, assert_whole, full_but_for_one};
use loom::sync::Arc;
use loom::thread;

type Shared = Arc<Pool<OwnTable>>;

const CHAIN: *mut () = core::ptr::without_provenance_mut(0x77);

fn model(f: impl Fn(Shared) + Send + Sync + 'static) {
    loom::model(move || f(Arc::new(Pool::new(OwnTable::new()))));
}

/// Runs a long model, or one with three threads, with at most two preemptions, regardless of `LOOM_MAX_PREEMPTIONS`.
fn bounded_model(f: impl Fn(Shared) + Send + Sync + 'static) {
    bounded_model_on(OwnTable::new, f);
}

fn bounded_model_on(table: fn() -> OwnTable, f: impl Fn(Shared) + Send + Sync + 'static) {
    with_two_preemptions(move || f(Arc::new(Pool::new(table()))));
}

/// Also for a model that is expected to fail: it may need preemptions to fail, and `LOOM_MAX_PREEMPTIONS` may be 0.
fn with_two_preemptions(f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(f);
}

#[test]
fn two_threads_never_claim_the_same_slot() {
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
fn two_threads_sharing_a_cache_line_lose_no_slot() {
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
fn a_freed_slot_is_claimed_by_only_one_of_two_threads() {
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
fn a_trampoline_passed_to_another_thread_is_called_with_its_chain() {
    model(|pool| {
        let stale = alloc(&pool, B, 9).unwrap();
        pool.release(stale);
        let mail = Arc::new(AtomicUsize::new(0));
        let caller = {
            let (pool, mail) = (pool.clone(), mail.clone());
            thread::spawn(move || {
                if mail.load(Acquire) != 0 {
                    let index = mail.load(Relaxed) as u32 - 1;
                    assert_eq!(pool.read_as_stub(index, Acquire), (B, CHAIN));
                }
            })
        };
        let claim = alloc(&pool, B, CHAIN.addr()).unwrap();
        mail.store(claim.index as usize + 1, Release);
        caller.join().unwrap();
    });
}

#[test]
fn a_slot_freed_on_another_thread_is_reused() {
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
fn slots_freed_by_an_exited_thread_can_be_claimed() {
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

#[test]
fn a_list_never_yields_a_slot_that_a_sweep_took() {
    model(|pool| {
        let slot = alloc(&pool, A, 1).unwrap();
        pool.release(slot);
        let sweep = {
            let pool = pool.clone();
            thread::spawn(move || {
                if let Some(claim) = pool.claim_dead(slot.index, Owner::Program, None) {
                    pool.hand_over(claim, B);
                    pool.arm(claim, B, CHAIN);
                    assert_whole(&pool, claim, B, CHAIN.addr());
                    assert!(pool.release(claim));
                }
            })
        };
        if let Some(claim) = pool.claim_listed(A, Owner::Program) {
            pool.arm(claim, A, CHAIN);
            assert_whole(&pool, claim, A, CHAIN.addr());
        }
        sweep.join().unwrap();
    });
}

#[test]
fn a_sweep_finds_slots_that_another_thread_freed() {
    model(|pool| {
        let last = full_but_for_one(&pool);
        let other = {
            let pool = pool.clone();
            thread::spawn(move || assert!(pool.release(last)))
        };
        let claim = pool.claim_dead(last.index, Owner::Program, None);
        if let Some(claim) = claim {
            pool.hand_over(claim, B);
            pool.arm(claim, B, CHAIN);
            assert_whole(&pool, claim, B, CHAIN.addr());
        }
        other.join().unwrap();
        all_slots_can_be_claimed(&pool, SLOTS - 1 + claim.is_some() as usize);
    });
}

/// Claims all slots, and frees the slot that the round will hand out next. Returns a live slot whose callee is B.
fn an_old_dead_slot(pool: &Shared) -> Claim {
    let mut all = [(); SLOTS].map(|()| alloc(pool, A, 1).unwrap());
    assert!(alloc(pool, A, 1).is_none());
    all.sort_by_key(|claim| claim.index);
    assert!(pool.release(all[1]));
    // Another slot is freed and handed out repeatedly until the first slot has been dead long enough.
    let mut other = all[0];
    for _ in 0..6 {
        assert!(pool.release(other));
        other = pool.claim_dead(other.index, Owner::Program, None).unwrap();
        pool.hand_over(other, B);
    }
    other
}

/// If two threads that share a round reach the same dead slot, only one gets it.
#[test]
fn two_threads_in_one_round_never_claim_the_same_slot() {
    bounded_model(|pool| {
        an_old_dead_slot(&pool);
        let next = |pool: &Shared, callee| {
            let claim = pool.claim_swept_fast(callee, Owner::Program);
            if let Some((claim, _)) = claim {
                pool.arm(claim, callee, CHAIN);
                assert_whole(pool, claim, callee, CHAIN.addr());
            }
            claim.is_some()
        };
        let second = {
            let pool = pool.clone();
            thread::spawn(move || next(&pool, A))
        };
        let first = next(&pool, B);
        assert!(first != second.join().unwrap(), "the slot was lost, or both threads got it");
    });
}

/// A slot claimed in a round is put on top of a list when it is claimed, before it is freed. Another thread that reads the
/// list can claim the slot only after the free.
#[test]
fn a_slot_listed_while_live_is_not_claimed_until_it_is_freed() {
    bounded_model(|pool| {
        let live = an_old_dead_slot(&pool);
        assert!(pool.release(live)); // puts the slot on a list
        let live = pool.claim_listed(B, Owner::Program).unwrap();
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let list = pool.list(B).unwrap().packed();
                if let Some(stub) = pool.make_listed(list, B, Owner::Program, B, CHAIN) {
                    let claim = pool.find_claim(pool.index_of(stub.addr()).unwrap()).unwrap();
                    assert_whole(&pool, claim, B, CHAIN.addr());
                    assert!(pool.release(claim));
                }
            })
        };
        if let Some(claim) = pool.claim_listed(B, Owner::Program) {
            pool.arm(claim, B, CHAIN);
            assert_whole(&pool, claim, B, CHAIN.addr());
        }
        other.join().unwrap();
        assert!(pool.release(live));
    });
}

#[test]
fn a_full_table_has_a_slot_as_soon_as_one_is_freed() {
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
        assert!(claim.is_some() || !was_freed, "a claim was rejected while a slot was free");
        other.join().unwrap();
        all_slots_can_be_claimed(&pool, SLOTS - 1 + claim.is_some() as usize);
    });
}

#[test]
fn a_slot_is_not_read_before_it_is_initialized() {
    model(|pool| {
        let other = {
            let pool = pool.clone();
            thread::spawn(move || alloc(&pool, A, 1).unwrap())
        };
        // An unused slot's arbitrary data looks live, so a slot that is read too early would be counted and found.
        assert!(pool.live().count() <= 1);
        for index in 0..SLOTS {
            match pool.find(OwnTable::new().stub(index as u32).addr()) {
                SlotState::Live { callee, chain, .. } => {
                    assert_eq!((callee, chain.addr()), (A, 1));
                }
                SlotState::Dead { callee } => assert_eq!(callee, A),
                SlotState::Unused => {}
                SlotState::Not(why) => panic!("{why:?}"),
            }
        }
        other.join().unwrap();
    });
}

#[test]
fn a_guessed_address_cannot_free_a_slot_being_initialized() {
    model(|pool| {
        let other = {
            let pool = pool.clone();
            thread::spawn(move || pool.claim(A, Owner::Program).unwrap())
        };
        let guess = OwnTable::new().stub(0).addr();
        assert!(pool.release_slow(guess).is_err());
        other.join().unwrap();
    });
}

#[test]
fn a_lookup_never_mixes_two_generations() {
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
            SlotState::Live { claim, chain, callee, entry } => {
                assert_eq!((callee, entry), (A, A));
                let whole = (claim, chain.addr());
                assert!(whole == (first, 1) || whole == (second, 2), "{whole:x?}");
            }
            SlotState::Dead { callee } => assert_eq!(callee, A),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn a_lookup_never_mixes_two_callees() {
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
        let caller = {
            let pool = pool.clone();
            thread::spawn(move || pool.read_as_stub(claim.index, Acquire))
        };
        assert!(pool.release(claim));
        let (entry, chain) = caller.join().unwrap();
        assert!(entry.addr() == OwnTable::DEAD || (chain, entry) == (CHAIN, A));
    });
}

/// One thread claims the slot for another callee and frees it, while another thread diagnoses a call through a stale
/// pointer.
#[test]
fn a_call_after_free_reports_the_former_callee_or_none() {
    model(|pool| {
        let claim = full_but_for_one(&pool);
        assert!(pool.release(claim));
        let (_, record) = pool.read_as_stub(claim.index, Acquire);
        assert_eq!(pool.former_callee(record.addr()), Some((claim.index, A)));
        let caller = {
            let pool = pool.clone();
            thread::spawn(move || {
                let (entry, chain) = pool.read_as_stub(claim.index, Relaxed);
                if entry.addr() == OwnTable::DEAD && chain.addr() != 1 {
                    let callee = if chain == record { A } else { B };
                    let named = pool.former_callee(chain.addr());
                    assert!(named.is_none() || named == Some((claim.index, callee)), "{named:?}");
                }
            })
        };
        let again = alloc(&pool, B, 1).unwrap();
        assert!(pool.release(again));
        caller.join().unwrap();
        assert_eq!(pool.former_callee(record.addr()), None);
        let (_, record) = pool.read_as_stub(claim.index, Acquire);
        assert_eq!(pool.former_callee(record.addr()), Some((claim.index, B)));
    });
}

#[test]
fn a_call_during_retarget_may_pass_either_chain_to_either_callee() {
    calls_during_a_retarget(|| Pool::new(OwnTable::new()));
}

/// Checks that data prepared for the new chain is visible to a call that passes this chain, and that each of the four
/// outcomes occurs, so that `Trampoline::retarget` cannot promise more.
fn calls_during_a_retarget<P: SlotPool + Send + Sync + 'static>(
    pool: impl Fn() -> P + Send + Sync + 'static,
) {
    let seen = std::sync::Arc::new(std::sync::atomic::AtomicU8::new(0));
    let all = seen.clone();
    loom::model(move || {
        let (pool, prepared) = (Arc::new(pool()), Arc::new(AtomicUsize::new(0)));
        let claim = alloc(&pool, A, 1).unwrap();
        let caller = {
            let (pool, prepared) = (pool.clone(), prepared.clone());
            thread::spawn(move || {
                let (entry, chain) = pool.read_as_stub(claim.index, Acquire);
                assert!(entry == A || entry == B);
                assert!(chain.addr() == 1 || chain == CHAIN && prepared.load(Relaxed) == 1);
                1u8 << (2 * u8::from(entry == B) + u8::from(chain == CHAIN))
            })
        };
        prepared.store(1, Relaxed);
        pool.retarget(claim, B, CHAIN);
        let call = caller.join().unwrap();
        seen.fetch_or(call, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(all.load(std::sync::atomic::Ordering::Relaxed), 0b1111);
}

#[test]
fn a_reclaimed_slot_is_freed_once_and_reused() {
    model(|pool| {
        let claim = pool.claim(A, Owner::Compiler).unwrap();
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
