//! What a program does with trampolines and closures.

use super::*;
use crate::closure::{by_mut, once};
use crate::hook::Hook;

#[test]
fn a_hooked_function_finds_what_was_prepared_for_it() {
    loom::model(|| {
        let shared = Arc::new((Hook::new(), AtomicUsize::new(0)));
        let caller = {
            let shared = shared.clone();
            thread::spawn(move || {
                if !shared.0.get().is_null() {
                    assert_eq!(shared.1.load(Relaxed), 1);
                }
            })
        };
        shared.1.store(1, Relaxed);
        shared.0.set(A);
        caller.join().unwrap();
    });
}

#[test]
#[should_panic = "call through a freed trampoline"]
fn a_model_of_a_program_that_calls_too_late_panics() {
    model(|pool| {
        let claim = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(claim));
        pool.enter(claim.index);
    });
}

#[test]
fn a_caller_that_gets_the_new_chain_finds_what_was_prepared_behind_it() {
    model(|pool| {
        let claim = alloc(&pool, A, 1).unwrap();
        let prepared = Arc::new(AtomicUsize::new(0));
        let caller = {
            let (pool, prepared) = (pool.clone(), prepared.clone());
            thread::spawn(move || {
                if pool.read_as_stub(claim.index).1 == CHAIN {
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
fn one_call_of_a_closure_that_changes_comes_after_the_other() {
    loom::model(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let closure = Arc::new(by_mut(move || counted.store(counted.load(Relaxed) + 1, Relaxed)));
        let other = {
            let closure = closure.clone();
            thread::spawn(move || closure.try_with(|call| call()).is_some())
        };
        let mine = closure.try_with(|call| call()).is_some();
        let calls = usize::from(mine) + usize::from(other.join().unwrap());
        assert_eq!(count.load(Relaxed), calls);
    });
}

#[test]
fn of_two_calls_of_a_closure_that_consumes_one_has_it() {
    loom::model(|| {
        let closure = Arc::new(once(|| ()));
        let other = {
            let closure = closure.clone();
            thread::spawn(move || closure.is_first())
        };
        let mine = closure.is_first();
        assert!(mine != other.join().unwrap());
    });
}
