//! Callbacks that are freed by their call.

use crate::{Witness, turn};
use statictramp::{AllocError, live, one_shot};
use std::cell::Cell;
use std::rc::Rc;

#[test]
fn a_one_shot_closure_exists_until_its_call_returns() {
    let _turn = turn();
    let (before, drops) = (live(), Rc::new(Cell::new(0)));
    let witness = Witness(drops.clone());
    let text = String::from("consumed");
    let allocated = crate::allocations::balance();
    let f: unsafe extern "C" fn(usize) -> usize = one_shot(move |x: usize| {
        assert_eq!((live(), witness.0.get()), (before + 1, 0), "freed while it runs");
        text.into_bytes().len() + x
    })
    .unwrap();
    assert_eq!(live(), before + 1);
    // SAFETY: this is the only call.
    assert_eq!(unsafe { f(1) }, 9);
    assert_eq!((live(), drops.get()), (before, 1));
    assert_eq!(crate::allocations::balance(), allocated - 1, "text and closure are freed");
}

#[test]
fn a_one_shot_closure_may_be_called_on_another_thread() {
    let _turn = turn();
    let before = live();
    let (done, wait) = std::sync::mpsc::channel();
    let f = one_shot(move |x: u32| done.send(x).unwrap()).unwrap();
    // SAFETY: this is the only call, and the closure is `Send`.
    std::thread::spawn(move || unsafe { f(7) }).join().unwrap();
    assert_eq!((wait.recv(), wait.recv().is_err(), live()), (Ok(7), true, before));
}

#[test]
fn a_one_shot_closure_may_create_another() {
    let _turn = turn();
    let before = live();
    thread_local!(static NEXT: Cell<Option<unsafe extern "C" fn(u32)>> = const { Cell::new(None) });
    fn arm() {
        NEXT.set(Some(
            one_shot(|left: u32| {
                if left > 0 {
                    arm()
                }
            })
            .unwrap(),
        ));
    }
    arm();
    for left in (0..1000).rev() {
        // SAFETY: this is the only call through each pointer.
        unsafe { NEXT.take().unwrap()(left) };
    }
    assert_eq!((NEXT.take().is_none(), live()), (true, before));
}

#[test]
fn one_shot_drops_the_closure_if_the_table_is_full() {
    let _turn = turn();
    statictramp::set_limit(statictramp::capacity());
    let filler = || ();
    let all: Vec<_> = std::iter::from_fn(|| statictramp::bind(&filler).ok()).collect();
    let drops = Rc::new(Cell::new(0));
    let witness = Witness(drops.clone());
    assert_eq!(one_shot(move || drop(witness)).unwrap_err(), AllocError::Full);
    assert_eq!(drops.get(), 1);
    drop(all);
}
