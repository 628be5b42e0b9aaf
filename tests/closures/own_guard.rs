//! Closures that drop their own guard.

use crate::{Witness, turn};
use std::cell::RefCell;
use std::sync::Mutex;

thread_local!(static GUARD: RefCell<Option<Box<dyn core::any::Any>>> = const { RefCell::new(None) });

/// Binds a closure that runs `during`, stores its guard in a separate variable, and calls the
/// closure.
macro_rules! call_kept {
    ($closure:expr, $($argument:expr)?) => {{
        let bound = statictramp::boxed($closure).unwrap_or_else(|_| panic!());
        let f = bound.as_fn();
        GUARD.set(Some(Box::new(bound)));
        // SAFETY: the guard is alive when the call begins.
        unsafe { f($($argument)?) }
    }};
}

fn drop_guard() {
    drop(GUARD.take().expect("once"));
}

#[test]
fn a_boxed_closure_may_drop_its_own_guard() {
    let _turn = turn();
    let before = statictramp::live();
    let drops = std::rc::Rc::new(core::cell::Cell::new(0));
    let witness = || Witness(drops.clone());
    let at_rest = |count| assert_eq!((drops.get(), statictramp::live()), (count, before));

    let (held, text) = (witness(), String::from("still here"));
    let plain = move |x: usize| {
        drop_guard();
        assert_eq!(held.0.get(), 0, "freed while it runs");
        text.len() + x
    };
    assert_eq!(call_kept!(plain, 1), 11);
    at_rest(1);

    let (held, mut calls) = (witness(), 0);
    let changing = statictramp::by_mut(move |x: u64| {
        calls += x;
        drop_guard();
        assert_eq!(held.0.get(), 1, "freed while it runs");
        calls
    });
    assert_eq!(call_kept!(changing, 7), 7);
    at_rest(2);

    let held = witness();
    let consuming = statictramp::once(move || {
        drop_guard();
        assert_eq!(held.0.get(), 2, "freed while it runs");
        drop(held);
    });
    call_kept!(consuming,);
    at_rest(3);

    let held = witness();
    let panicking = statictramp::unwind(move |x: u64| {
        drop_guard();
        assert_eq!(held.0.get(), 3, "freed while it runs");
        if x == 1 {
            std::panic::resume_unwind(Box::new(x)); // panics without a message
        }
    });
    assert!(std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| call_kept!(panicking, 1))).is_err());
    at_rest(4);

    // The innermost of three calls drops the guard. The outermost call still needs the closure.
    thread_local!(static ITSELF: core::cell::Cell<Option<unsafe extern "C" fn(u32) -> u32>> = const { core::cell::Cell::new(None) });
    let held = witness();
    let nested = move |depth: u32| {
        // SAFETY: the guard is alive.
        let inner = if depth == 0 { 0 } else { unsafe { ITSELF.get().unwrap()(depth - 1) } };
        if depth == 0 {
            drop_guard();
        }
        assert_eq!(held.0.get(), 4, "freed while it runs");
        inner + depth
    };
    let bound = statictramp::boxed(nested).unwrap();
    let f = bound.as_fn();
    ITSELF.set(Some(f));
    GUARD.set(Some(Box::new(bound)));
    // SAFETY: as above.
    assert_eq!(unsafe { f(2) }, 3);
    at_rest(5);
}

/// The closure is called and bound on different threads, as with a timer.
#[test]
fn a_boxed_closure_may_drop_its_own_guard_on_another_thread() {
    static GUARD: Mutex<Option<Box<dyn core::any::Any + Send>>> = Mutex::new(None);
    static DROPS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    use std::sync::atomic::Ordering::Relaxed;
    struct Witness;
    impl Drop for Witness {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Relaxed);
        }
    }
    let _turn = turn();
    let held = Witness;
    let bound = statictramp::boxed(move |x: u32| {
        let _held = &held;
        drop(GUARD.lock().unwrap().take().unwrap());
        assert_eq!(DROPS.load(Relaxed), 0, "freed while it runs");
        x + 1
    })
    .unwrap();
    let f = bound.as_fn();
    *GUARD.lock().unwrap() = Some(Box::new(bound));
    // SAFETY: the guard is alive when the call begins.
    assert_eq!(std::thread::spawn(move || unsafe { f(1) }).join().unwrap(), 2);
    assert_eq!(DROPS.load(Relaxed), 1);
}
