//! Closures that order or check the threads that call them.

use crate::turn;
use statictramp::{bind, leaked_safe_fn, one_shot, same_thread, synchronized, typed};
use std::rc::Rc;

#[test]
fn a_synchronized_closure_makes_other_threads_wait() {
    let _turn = turn();
    let (mut calls, mut running) = (0, 0);
    let count = synchronized(|step: u32| {
        running += 1;
        assert_eq!(running, 1);
        std::thread::sleep(std::time::Duration::from_micros(10));
        calls += step;
        running -= 1;
    });
    let callback = bind(&count).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let f = callback.as_fn();
            // SAFETY: the callback is alive, and the closure is `Sync`.
            scope.spawn(move || (0..20).for_each(|_| unsafe { f(2) }));
        }
    });
    drop(callback);
    assert_eq!(calls, 160);
}

#[test]
fn a_synchronized_closure_can_be_called_again_after_a_panic() {
    let _turn = turn();
    let closure = typed(synchronized(|x: u32| -> u32 {
        if x == 0 { std::panic::resume_unwind(Box::new(())) } else { x }
    }));
    let callback = bind(&closure).unwrap();
    let f: unsafe extern "C-unwind" fn(u32) -> u32 = callback.as_fn();
    // SAFETY: the callback is alive.
    unsafe {
        assert!(std::panic::catch_unwind(|| f(0)).is_err());
        assert_eq!(f(7), 7);
    }
}

#[test]
fn the_creating_thread_may_call_a_same_thread_closure() {
    let _turn = turn();
    let count = Rc::new(7);
    let same = count.clone();
    let f = leaked_safe_fn(same_thread(move |x: i32| x + *same)).unwrap();
    assert_eq!(f(1), 8);
    crate::free_leaked([f as *const ()]);
    let once = one_shot(same_thread(move |x: i32| x + *count)).unwrap();
    // SAFETY: the only call.
    assert_eq!(unsafe { once(2) }, 9);
}
