//! Pointers to safe functions, for APIs that accept no other pointers.

use crate::turn;
use core::ffi::c_int;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, raise, sigaction};
use statictramp::{Guard, InPlace, bind, boxed, leaked_safe_fn};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// Installs `handler` for one signal.
fn handles(handler: extern "C" fn(c_int)) {
    let action = SigAction::new(SigHandler::Handler(handler), SaFlags::empty(), SigSet::empty());
    // SAFETY: the handler below is async-signal-safe, because it only adds to an atomic variable.
    unsafe {
        let before = sigaction(Signal::SIGUSR2, &action).unwrap();
        raise(Signal::SIGUSR2).unwrap();
        sigaction(Signal::SIGUSR2, &before).unwrap();
    }
}

#[test]
fn nix_accepts_safe_function_pointers() {
    let _turn = turn();
    let (sum, factor) = (AtomicI32::new(0), 2);
    let handler = |signal: c_int| {
        sum.fetch_add(signal * factor, Relaxed);
    };
    let borrowed = bind(&handler).unwrap();
    let on_heap = boxed(handler).unwrap();
    let erased: Guard<_, dyn statictramp::Local + '_> = Guard::new(handler).unwrap();
    let in_place = core::pin::pin!(InPlace::new(handler));
    // SAFETY: each guard outlives the signal, whose handling is the only call, and the closure is `Sync`.
    unsafe {
        handles(borrowed.as_safe_fn());
        handles(on_heap.as_safe_fn());
        handles(erased.as_safe_fn());
        handles(in_place.bind_as_safe_fn().unwrap());
    }
    assert_eq!(sum.load(Relaxed), 4 * factor * Signal::SIGUSR2 as c_int);

    static TOTAL: AtomicI32 = AtomicI32::new(0);
    let for_good = leaked_safe_fn(move |signal: c_int| {
        TOTAL.fetch_add(signal * factor, Relaxed);
    });
    let for_good = for_good.unwrap();
    handles(for_good);
    handles(statictramp::plain(|signal: c_int| {
        TOTAL.fetch_add(signal, Relaxed);
    }));
    assert_eq!(TOTAL.load(Relaxed), (factor + 1) * Signal::SIGUSR2 as c_int);
    // SAFETY: no code uses the trampoline any more.
    unsafe { statictramp::free(for_good as *const ()) }.unwrap();
}
