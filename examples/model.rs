//! A program that uses callbacks, and a loom model of the program.
//!
//! In the program, a device driver calls a registered callback. The callback's owner removes it from the registry, and
//! drops it only when no call can be in progress.
//!
//! - `cargo run --example model` runs the program once, through a real function pointer;
//! - `CARGO_PROFILE_RELEASE_PANIC=unwind RUSTFLAGS="--cfg loom" cargo run --release --example model` runs the program in
//!   every order that the memory model allows. (Loom unwinds the stacks of threads, which this repository's release
//!   profile prevents by default.) In the model, a call through a freed trampoline panics, and so does dropping a guard
//!   during a call through its pointer.
//!
//! The number of orders is large: with two threads that each bind, call and drop a callback, the model takes over a
//! minute. `LOOM_MAX_PREEMPTIONS=3` limits how often a thread may be preempted at a point where it would not wait
//! anyway. Few bugs need more preemptions, and the model then takes a few seconds.

#[cfg(loom)]
use loom::{sync::Arc, sync::atomic, thread};
#[cfg(not(loom))]
use std::{sync::Arc, sync::atomic, thread};

use atomic::{AtomicUsize, Ordering};

/// Twice the number of calls in progress, plus one after the registry has been closed.
struct Registry(AtomicUsize);

const CLOSED: usize = 1;
const CALL: usize = 2;

impl Registry {
    /// Does the driver's part: calls the callback unless the registry is closed.
    fn fire(&self, callback: impl FnOnce()) {
        if self.0.fetch_add(CALL, Ordering::Acquire) & CLOSED == 0 {
            callback();
        }
        self.0.fetch_sub(CALL, Ordering::Release);
    }

    /// Does the owner's part before the owner drops the callback. No later call is possible.
    fn close(&self) {
        self.0.fetch_or(CLOSED, Ordering::Relaxed);
        while self.0.load(Ordering::Acquire) != CLOSED {
            thread::yield_now();
        }
    }
}

fn program() {
    let registry = Arc::new(Registry(AtomicUsize::new(0)));
    // The closure is never dropped, so it must not own an `Arc`, which loom reports as leaked.
    let calls: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
    let closure: &'static _ =
        Box::leak(Box::new(move |step: usize| calls.fetch_add(step, Ordering::Relaxed)));
    let callback = Arc::new(statictramp::bind(closure).expect("a free slot"));

    let driver = {
        let (registry, callback) = (registry.clone(), callback.clone());
        thread::spawn(move || {
            registry.fire(|| {
                callback.call((2,));
            })
        })
    };
    registry.close();
    let seen = calls.load(Ordering::Relaxed);
    driver.join().unwrap();
    assert!(seen == 0 || seen == 2);
    assert_eq!(calls.load(Ordering::Relaxed), seen, "a call came after the registry was closed");
    drop(callback);
    assert_eq!(statictramp::live(), 0);
}

fn main() {
    #[cfg(loom)]
    loom::model(program);
    #[cfg(not(loom))]
    program();
    println!("every call came before the registry was closed");
}
