//! Models of programs that use trampolines and closures.

use super::*;
use crate::closure::{by_mut, once};
use crate::sync::Hook;

#[test]
fn a_caller_that_sees_the_hook_sees_its_data() {
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
fn a_model_panics_on_a_call_after_free() {
    model(|pool| {
        let claim = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(claim));
        pool.enter(claim.index);
    });
}

#[test]
fn a_caller_that_sees_the_new_chain_sees_its_data() {
    model(|pool| {
        let claim = alloc(&pool, A, 1).unwrap();
        let prepared = Arc::new(AtomicUsize::new(0));
        let caller = {
            let (pool, prepared) = (pool.clone(), prepared.clone());
            thread::spawn(move || {
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
fn calls_to_a_mutable_closure_are_ordered() {
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
fn only_one_of_two_concurrent_calls_runs_a_once_closure() {
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

/// Runs a model in which a guard's owner drops the guard after `signal` has signalled that a call has begun (if
/// `before` is true) or ended. If the call has ended, the ordering might be too weak for the owner to observe this.
fn drop_during_call(signal: impl Fn(&AtomicUsize) + Send + Sync + Copy + 'static, before: bool) {
    loom::model(move || {
        let reported = Arc::new(AtomicUsize::new(0));
        let closure = {
            let reported = reported.clone();
            move || {
                if before {
                    signal(&reported);
                }
                reported.load(Relaxed); // keeps the closure running
            }
        };
        let callback = crate::bind(&closure).unwrap();
        // Like a C pointer, this one has no lifetime.
        let pointer = (&raw const callback).expose_provenance();
        let caller = {
            let reported = reported.clone();
            let call = call_at(&callback);
            thread::spawn(move || {
                // SAFETY: the contract is violated if the guard is dropped too early. The model tests that such a
                // violation is reported.
                unsafe { call(pointer) };
                if !before {
                    signal(&reported);
                }
            })
        };
        while reported.load(Acquire) == 0 {
            thread::yield_now();
        }
        drop(callback);
        caller.join().unwrap();
    });
}

/// Returns a function that calls through a guard of this type, given the guard's address.
fn call_at<'f, F: Fn()>(_: &crate::Callback<'f, F, ()>) -> unsafe fn(usize) {
    // SAFETY: the caller upholds the safety contract.
    |callback| unsafe {
        (*core::ptr::with_exposed_provenance::<crate::Callback<'f, F, ()>>(callback)).call(());
    }
}

#[test]
#[should_panic = "was dropped during a call through its pointer"]
fn dropping_a_guard_during_a_call_panics() {
    drop_during_call(|reported| reported.store(1, Release), true);
}

#[test]
fn dropping_a_guard_after_the_call_does_not_panic() {
    drop_during_call(|reported| reported.store(1, Release), false);
}

#[test]
#[should_panic = "was dropped during a call through its pointer"]
fn panics_if_a_guard_is_dropped_without_synchronizing_with_the_call() {
    drop_during_call(|reported| reported.store(1, Relaxed), false);
}

/// A value that counts its drops. It has a field for each of two calls, so that loom reports a drop that is not ordered
/// after them.
#[cfg(feature = "alloc")]
struct Witness(Arc<AtomicUsize>, [loom::cell::UnsafeCell<u32>; 2]);

#[cfg(feature = "alloc")]
impl Drop for Witness {
    fn drop(&mut self) {
        self.1.iter().for_each(|part| part.with_mut(|_| ()));
        self.0.fetch_add(1, Relaxed);
    }
}

/// Two calls are in progress when one of them drops the guard. The call that returns last frees the closure, and sees
/// the other call's writes.
#[test]
#[cfg(feature = "alloc")]
fn the_last_call_to_return_frees_a_closure_whose_guard_was_dropped() {
    use crate::closure::Holder;
    use crate::closure::kept::Kept;
    use loom::cell::UnsafeCell;
    /// Calls the closure and modifies the field of the witness that only this call uses.
    unsafe fn call(address: usize, part: usize, during: impl FnOnce()) {
        let holder = core::ptr::with_exposed_provenance::<Kept<Witness>>(address);
        // SAFETY: the caller guarantees that the closure exists.
        unsafe {
            Kept::with(holder, |closure| (during(), (&(*closure).1)[part].with_mut(|part| *part += 1)))
        };
    }
    loom::model(|| {
        let drops = Arc::new(AtomicUsize::new(0));
        let kept = Kept::new(Witness(drops.clone(), [UnsafeCell::new(0), UnsafeCell::new(0)]));
        let address = kept.as_ptr().expose_provenance();
        let (begun, dropped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let other = {
            let (begun, dropped) = (begun.clone(), dropped.clone());
            thread::spawn(move || {
                let wait = || {
                    begun.store(1, Release);
                    while dropped.load(Acquire) == 0 {
                        thread::yield_now();
                    }
                };
                // SAFETY: the guard exists when this call begins.
                unsafe { call(address, 1, wait) };
            })
        };
        let drop_guard = || {
            while begun.load(Acquire) == 0 {
                thread::yield_now();
            }
            // SAFETY: the guard exists and has not been dropped.
            unsafe { Kept::guard_dropped(kept) };
            assert_eq!(drops.load(Relaxed), 0, "calls run");
            dropped.store(1, Release);
        };
        // SAFETY: the guard exists when this call begins.
        unsafe { call(address, 0, drop_guard) };
        other.join().unwrap();
        assert_eq!(drops.load(Relaxed), 1);
    });
}
