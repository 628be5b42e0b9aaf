//! Guards whose type does not contain the closure's type.

use crate::{Witness, turn};
use core::ffi::c_int;
use statictramp::{Guard, Local, boxed, live};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::mpsc;

type Handler = unsafe extern "C" fn(c_int) -> c_int;

fn call<B: ?Sized>(guard: &Guard<Handler, B>, x: c_int) -> c_int {
    // SAFETY: the guard is alive.
    unsafe { guard.as_fn()(x) }
}

#[test]
fn one_guard_type_holds_closures_of_several_types() {
    struct Owner {
        one: Guard<Handler>,
        many: Vec<Guard<Handler>>,
        named: HashMap<&'static str, Guard<Handler>>,
    }
    let _turn = turn();
    let (before, step, text) = (live(), 5, String::from("four"));
    let mut owner = Owner {
        one: Guard::new(move |x: c_int| x + step).unwrap(),
        many: (0..10).map(|i| boxed(move |x: c_int| x * i).unwrap().erase()).collect(),
        named: HashMap::new(),
    };
    let mut calls = 0;
    let counting = statictramp::by_mut(move |x: c_int| {
        calls += x;
        calls
    });
    owner.named.insert("counting", boxed(counting).unwrap().erase());
    owner.named.insert("length", Guard::new(move |x: c_int| x + text.len() as c_int).unwrap());
    assert_eq!(live(), before + 13);
    let owner = Box::new(owner); // the owner may move anywhere
    assert_eq!((call(&owner.one, 1), call(&owner.named["length"], 1)), (6, 5));
    assert_eq!((call(&owner.named["counting"], 2), call(&owner.named["counting"], 3)), (2, 5));
    assert!(owner.many.iter().zip(0..).all(|(guard, i)| call(guard, 3) == 3 * i));
    drop(owner);
    assert_eq!(live(), before);
}

#[test]
fn a_guard_may_borrow() {
    let _turn = turn();
    let sum = Cell::new(0);
    let times = |factor| {
        let sum = &sum;
        move |x: c_int| sum.replace(sum.get() + x * factor)
    };
    let guards: Vec<Guard<Handler, dyn Local + '_>> =
        vec![Guard::new(times(1)).unwrap(), boxed(times(2)).unwrap().erase()];
    assert_eq!([call(&guards[0], 10), call(&guards[1], 10)], [0, 10]);
    drop(guards);
    assert_eq!(sum.get(), 30);
}

#[test]
fn a_shared_guard_may_be_called_and_dropped_on_other_threads() {
    let _turn = turn();
    let (before, factor) = (live(), 3);
    let guard = Guard::shared(move |x: c_int| x * factor).unwrap();
    let others = [guard, boxed(move |x: c_int| x + factor).unwrap().erase_shared()];
    std::thread::scope(|scope| {
        let threads: [_; 2] = core::array::from_fn(|i| {
            scope.spawn({
                let others = &others;
                move || call(&others[i], 5)
            })
        });
        assert_eq!(threads.map(|thread| thread.join().unwrap()), [15, 8]);
    });
    std::thread::spawn(move || drop(others)).join().unwrap();
    assert_eq!(live(), before);
}

#[test]
fn a_shared_guard_converts_to_a_local_guard() {
    let _turn = turn();
    let (before, drops) = (live(), Rc::new(Cell::new(0)));
    let base = [1, 2];
    {
        let base = &base;
        let shared: Guard<Handler, dyn Send + Sync + '_> =
            Guard::shared(move |x: c_int| x + base[1]).unwrap();
        let address = shared.trampoline().as_ptr();
        let witness = Witness(drops.clone());
        let local = boxed(move |x: c_int| x * (1 + witness.0.get() as c_int)).unwrap().erase();
        let guards: [Guard<Handler, dyn Local + '_>; 2] = [shared.into(), local];
        assert_eq!(guards[0].trampoline().as_ptr(), address);
        assert_eq!((call(&guards[0], 5), call(&guards[1], 5), live()), (7, 5, before + 2));
    }
    assert_eq!((live(), drops.get()), (before, 1));
}

#[test]
fn the_trampoline_is_freed_before_the_closure_is_dropped() {
    let _turn = turn();
    struct Looks(*const ());
    thread_local!(static SEEN: RefCell<Option<bool>> = const { RefCell::new(None) });
    impl Drop for Looks {
        fn drop(&mut self) {
            SEEN.set(Some(matches!(statictramp::lookup(self.0), Ok(statictramp::Lookup::Dead { .. }))));
        }
    }
    let looks = Rc::new(RefCell::new(Looks(core::ptr::null())));
    let held = looks.clone();
    let guard = Guard::new(move |x: c_int| x + held.borrow().0.is_null() as c_int).unwrap();
    looks.borrow_mut().0 = guard.trampoline().as_ptr();
    drop(looks);
    drop(guard);
    assert_eq!(SEEN.take(), Some(true));
}

#[test]
fn a_panic_while_dropping_the_closure_leaks_nothing() {
    let _turn = turn();
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            std::panic::resume_unwind(Box::new("dropped")); // panics without a message
        }
    }
    let (before, drops) = (live(), Rc::new(Cell::new(0)));
    let (panics, witness) = (Panics, Witness(drops.clone()));
    let guard = Guard::new(move |x: c_int| {
        let _both = (&panics, &witness);
        x
    });
    let guard = guard.unwrap();
    let allocated = crate::allocations::balance();
    assert!(std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| drop(guard))).is_err());
    assert_eq!((live(), drops.get()), (before, 1));
    assert_eq!(crate::allocations::balance(), allocated - 1, "the closure's memory is not freed");
}

#[test]
fn a_call_may_drop_its_own_guard() {
    let _turn = turn();
    thread_local!(static GUARD: RefCell<Option<Guard<Handler>>> = const { RefCell::new(None) });
    let (before, drops) = (live(), Rc::new(Cell::new(0)));
    let witness = Witness(drops.clone());
    let guard = Guard::new(move |x: c_int| {
        drop(GUARD.take());
        assert_eq!(witness.0.get(), 0, "freed while it runs");
        x + 1
    });
    let guard = guard.unwrap();
    let f = guard.as_fn();
    GUARD.set(Some(guard));
    // SAFETY: the guard is alive when the call begins.
    assert_eq!(unsafe { f(1) }, 2);
    assert_eq!((live(), drops.get()), (before, 1));
}

/// The owner violates the contract, because it does not wait. Nevertheless, the closure lives until
/// the call returns.
#[test]
fn a_closure_outlives_a_guard_dropped_during_its_call() {
    let _turn = turn();
    let before = live();
    let (begun, has_begun) = mpsc::channel();
    let (dropped, was_dropped) = mpsc::channel::<()>();
    let (ended, has_ended) = mpsc::channel();
    struct Reports(mpsc::Sender<&'static str>);
    impl Drop for Reports {
        fn drop(&mut self) {
            self.0.send("dropped").unwrap();
        }
    }
    let (reports, was_dropped) = (Reports(ended.clone()), std::sync::Mutex::new(was_dropped));
    let guard = Guard::shared(move |x: c_int| {
        begun.send(()).unwrap();
        was_dropped.lock().unwrap().recv().unwrap();
        reports.0.send("still there").unwrap();
        x + 1
    });
    let guard = guard.unwrap();
    let f = guard.as_fn();
    // SAFETY: the guard is alive when the call begins.
    let caller = std::thread::spawn(move || unsafe { f(1) });
    has_begun.recv().unwrap();
    drop(guard);
    dropped.send(()).unwrap();
    assert_eq!(caller.join().unwrap(), 2);
    drop(ended);
    assert_eq!(has_ended.iter().collect::<Vec<_>>(), ["still there", "dropped"]);
    assert_eq!(live(), before);
}

#[test]
fn a_guard_takes_one_allocation() {
    let _turn = turn();
    let (step, large) = (5, [7u8; 100]);
    let made = crate::allocations::count(|| {
        Guard::new(move |x: c_int| x + step + c_int::from(large[x as usize])).unwrap()
    });
    assert_eq!((made.1, call(&made.0, 1)), (1, 13));
    let boxed = boxed(move |x: c_int| x + step).unwrap();
    let erased = crate::allocations::count(|| boxed.erase());
    assert_eq!((erased.1, call(&erased.0, 1)), (0, 6));
}

#[test]
fn guards_with_different_signatures_fit_in_one_vector() {
    use statictramp::UnsafeFn;
    let _turn = turn();
    let (before, drops) = (live(), Rc::new(Cell::new(0)));
    let witness = Witness(drops.clone());
    let guards: Vec<Guard<*const ()>> = vec![
        Guard::new(move |x: c_int| x + witness.0.get() as c_int).unwrap().erase_signature(),
        Guard::new(|x: f64| x / 2.0).unwrap().erase_signature(),
    ];
    let shared: Guard<*const (), dyn Send + Sync> = Guard::shared(|| 3u8).unwrap().erase_signature();
    // SAFETY: the guards are alive, and the closures have these signatures.
    unsafe {
        assert_eq!(Handler::from_ptr(guards[0].as_fn())(4), 4);
        assert_eq!(<unsafe extern "C" fn(f64) -> f64>::from_ptr(guards[1].as_fn())(3.0), 1.5);
        assert_eq!(<unsafe extern "C" fn() -> u8>::from_ptr(shared.as_fn())(), 3);
    }
    drop((guards, shared));
    assert_eq!((live(), drops.get()), (before, 1));
}

#[test]
fn a_leaked_guard_frees_nothing() {
    static CLOSURE: fn(c_int) -> c_int = |x| x + 4;
    let _turn = turn();
    let (before, drops) = (live(), Rc::new(Cell::new(0)));
    let witness = Witness(drops.clone());
    let leaked: [Handler; 3] = [
        Guard::new(move |x: c_int| x + witness.0.get() as c_int).unwrap().leak(),
        boxed(|x: c_int| x + 2).unwrap().leak(),
        statictramp::bind(&CLOSURE).unwrap().leak(),
    ];
    // SAFETY: the closures are never freed.
    assert_eq!(leaked.map(|f| unsafe { f(1) }), [1, 3, 5]);
    let safe: extern "C" fn(c_int) -> c_int = boxed(|x: c_int| x + 3).unwrap().leak_safe_fn();
    assert_eq!(safe(1), 4);
    assert_eq!((live(), drops.get()), (before + 4, 0));
    crate::free_leaked(leaked.map(|f| f as *const ()).into_iter().chain([safe as *const ()]));
}
