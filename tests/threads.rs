//! Tests with real threads on the real table. No slot may have two owners, every call must get its own context, and it
//! must be possible to claim every index again afterwards.
//!
//! STATICTRAMP_OPERATIONS is the number of operations per thread (default 200,000). `tests/run threads` sets it to
//! millions, both with and without ThreadSanitizer.

#![cfg_attr(unstable_asm, feature(asm_experimental_arch))]

mod common;

use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use std::sync::{Arc, Mutex};
use std::thread;

use statictramp::{Trampoline, capacity, live};

const THREADS: usize = 8;
/// The number of threads in a crowd, which is larger than the number of shards.
const CROWD: usize = 64;

/// The whole process shares the table, so tests that fill it take turns.
static TURN: Mutex<()> = Mutex::new(());

fn operations() -> usize {
    std::env::var("STATICTRAMP_OPERATIONS").map_or(200_000, |n| n.parse().expect("a number"))
}

twice_the_chain!(p0 0 p1 0 p2 0 p3 0 p4 0 p5 0 p6 0 p7 0 p8 0 p9 0);
const PROCEDURES: &[extern "C" fn() -> usize] = &[p0, p1, p2, p3, p4, p5, p6, p7, p8, p9];

/// Returns the static chain with which a trampoline calls its callee.
fn call(trampoline: &Trampoline) -> usize {
    // SAFETY: the trampoline is alive and its callee is one of the functions above.
    let f = unsafe { core::mem::transmute::<*const (), extern "C" fn() -> usize>(trampoline.as_ptr()) };
    f() / 2
}

/// A small random generator. Its numbers differ between threads, but are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// The state that all threads share: the owner of each slot, or 0 if the slot has no owner.
struct Shared(Vec<AtomicUsize>);

impl Shared {
    fn new() -> Arc<Self> {
        statictramp::set_limit(capacity()); // the initial capacity is the limit here
        Arc::new(Shared((0..capacity()).map(|_| AtomicUsize::new(0)).collect()))
    }

    fn make(&self, procedure: usize, chain: usize) -> Option<Trampoline> {
        let callee = PROCEDURES[procedure] as *const ();
        let made = Trampoline::new(callee, core::ptr::without_provenance_mut(chain)).ok()?;
        assert_eq!(self.0[made.slot()].swap(chain, Relaxed), 0, "slot {} was handed out twice", made.slot());
        Some(made)
    }

    fn end(&self, trampoline: Trampoline, chain: usize) {
        assert_eq!(call(&trampoline), chain);
        assert_eq!(self.0[trampoline.slot()].swap(0, Relaxed), chain);
        drop(trampoline);
    }
}

fn all_indices_are_back() {
    assert_eq!(live(), 0);
    let all: Vec<_> =
        (0..capacity()).map(|_| Trampoline::new(p0 as *const (), core::ptr::null_mut())).collect();
    assert!(all.iter().all(Result::is_ok), "an index is lost");
    assert!(Trampoline::new(p0 as *const (), core::ptr::null_mut()).is_err());
}

/// Runs threads that each hold up to `share` trampolines, and repeatedly create or free one at random.
fn churn(share: usize, procedures: usize) {
    churn_in(THREADS, operations(), share, procedures);
}

fn churn_in(threads: usize, operations: usize, share: usize, procedures: usize) {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let shared = Shared::new();
    let workers: Vec<_> = (0..threads)
        .map(|number| {
            let shared = shared.clone();
            thread::spawn(move || {
                let mut random = Random(number as u64 + 1);
                let mut held: Vec<(Trampoline, usize)> = Vec::new();
                let mut rejected = 0;
                for operation in 0..operations {
                    if held.len() < share && random.below(2) == 0 {
                        let chain = (number << (usize::BITS - 8)) + operation + 1;
                        match shared.make(random.below(procedures), chain) {
                            Some(made) => held.push((made, chain)),
                            None => rejected += 1,
                        }
                    } else if !held.is_empty() {
                        let (made, chain) = held.swap_remove(random.below(held.len()));
                        shared.end(made, chain);
                    }
                }
                held.into_iter().for_each(|(made, chain)| shared.end(made, chain));
                rejected
            })
        })
        .collect();
    let rejected: usize = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
    assert!(
        share * threads > capacity() || rejected == 0,
        "{rejected} claims were rejected while slots were free"
    );
    all_indices_are_back();
}

#[test]
fn eight_threads_with_few_trampolines_never_share_a_slot() {
    churn(16, 3);
}

#[test]
fn more_threads_than_shards_never_share_a_slot() {
    churn_in(CROWD, operations() / 16, capacity() / CROWD, 10);
}

#[test]
fn more_threads_than_shards_never_share_a_slot_in_a_full_table() {
    churn_in(CROWD, operations() / 16, capacity() / CROWD * 2, 10);
}

#[test]
fn eight_threads_may_hold_all_slots() {
    churn(capacity() / THREADS, 10);
}

#[test]
fn eight_threads_never_share_a_slot_in_a_full_table() {
    churn(capacity() / THREADS * 2, 10);
}

/// Trampolines are passed through atomic variables instead of a channel of std, because std's code is not instrumented
/// for ThreadSanitizer.
#[test]
fn one_thread_makes_trampolines_and_another_frees_them() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let shared = Shared::new();
    let mail: Arc<[AtomicPtr<(Trampoline, usize)>; 64]> =
        Arc::new(std::array::from_fn(|_| AtomicPtr::default()));
    let consumer = {
        let (shared, mail) = (shared.clone(), mail.clone());
        thread::spawn(move || {
            for chain in 1..=operations() {
                let mailbox = &mail[chain % mail.len()];
                while mailbox.load(Relaxed).is_null() {
                    thread::yield_now();
                }
                // SAFETY: the producer stored the pointer for this thread only.
                let sent = unsafe { Box::from_raw(mailbox.swap(core::ptr::null_mut(), AcqRel)) };
                shared.end(sent.0, sent.1);
            }
        })
    };
    for chain in 1..=operations() {
        let made = shared.make(chain % 2, chain).expect("at most 66 trampolines are alive");
        let mailbox = &mail[chain % mail.len()];
        while !mailbox.load(Acquire).is_null() {
            thread::yield_now();
        }
        mailbox.store(Box::into_raw(Box::new((made, chain))), Release);
    }
    consumer.join().unwrap();
    all_indices_are_back();
}

#[test]
fn no_slot_is_lost_when_threads_start_and_exit() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let shared = Shared::new();
    for round in 0..200 {
        let workers: Vec<_> = (0..4)
            .map(|number| {
                let shared = shared.clone();
                thread::Builder::new()
                    .stack_size(16 * 1024)
                    .spawn(move || {
                        for i in 0..10 {
                            let chain = 1 + i + 10 * number + 100 * round;
                            let made = shared.make(number, chain).unwrap();
                            shared.end(made, chain);
                        }
                    })
                    .unwrap()
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    }
    all_indices_are_back();
}
