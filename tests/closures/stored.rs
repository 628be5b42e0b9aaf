//! Closures without a heap, whose owner's type does not contain the closure's type.

use crate::{Witness, free_leaked, turn};
use core::ffi::c_int;
use core::pin::{Pin, pin};
use statictramp::{AllocError, Inline, Local, Pool, bind, live};
use std::cell::Cell;
use std::rc::Rc;

type Handler = unsafe extern "C" fn(c_int) -> c_int;

fn call(f: Handler, x: c_int) -> c_int {
    // SAFETY: every caller keeps its guard alive.
    unsafe { f(x) }
}

#[test]
#[forbid(unsafe_code)]
fn a_pool_keeps_closures_forever() {
    static POOL: Pool<3, 16> = Pool::new();
    static OTHER: Pool<64, 16> = Pool::new();
    let _turn = turn();
    let (before, drops, step) = (live(), Rc::new(Cell::new(0)), 5);
    let witness = Witness(drops.clone());
    let count = POOL.leaked(move |x: c_int| x + witness.0.get() as c_int).unwrap();
    let table = [1, 2].map(|factor: c_int| POOL.leaked_safe_fn(move |x: c_int| x * factor + step).unwrap());
    assert_eq!((call(count, 7), table.map(|f| f(1))), (7, [6, 7]));
    let witness = Witness(drops.clone());
    let full = POOL.leaked(move |x: c_int| x + witness.0.get() as c_int);
    assert_eq!((full.unwrap_err(), drops.get(), live()), (AllocError::Full, 1, before + 3));

    free_leaked([count as *const ()].into_iter().chain(table.map(|f| f as *const ())));

    // Each thread stores closures in different rooms.
    let found: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|i: u64| {
                scope.spawn(move || {
                    (0..16).map(|j| OTHER.leaked_safe_fn(move || 100 * i + j).unwrap()).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (i, of_thread) in (0..).zip(found) {
        assert!((0..).zip(&of_thread).all(|(j, f)| f() == 100 * i + j));
        free_leaked(of_thread.into_iter().map(|f| f as *const ()));
    }
    assert!(OTHER.leaked(|| ()).is_err());
}

#[test]
fn a_pool_reclaims_a_closures_storage_if_no_slot_is_free() {
    static POOL: Pool<1, 8> = Pool::new();
    let _turn = turn();
    let nothing = || ();
    let all: Vec<_> = core::iter::from_fn(|| bind(&nothing).ok()).collect();
    if live() == statictramp::capacity() {
        assert_eq!(POOL.leaked(|| 1).unwrap_err(), AllocError::Full);
    }
    drop(all);
    let f = POOL.leaked(|| 2).unwrap();
    // SAFETY: the closure is never freed.
    assert_eq!(unsafe { f() }, 2);
    free_leaked([f as *const ()]);
}

#[test]
fn an_inline_guard_owns_its_closure() {
    struct Device<'a> {
        handlers: [Inline<Handler, 32, dyn Local + 'a>; 2],
    }
    let _turn = turn();
    let (before, drops) = (live(), Rc::new(Cell::new(0)));
    let seen = Cell::new(0);
    {
        let mut device = pin!(Device { handlers: [Inline::new(), Inline::new()] });
        // SAFETY: the handlers are pinned with the device.
        let [mut first, mut second] = unsafe {
            device.as_mut().get_unchecked_mut().handlers.each_mut().map(|one| Pin::new_unchecked(one))
        };
        let seen = &seen;
        let witness = Witness(drops.clone());
        let f = first.as_mut().bind(move |x: c_int| x + seen.replace(x) + witness.0.get() as c_int).unwrap();
        let g = second.as_mut().bind(statictramp::by_mut(move |x: c_int| x * 2)).unwrap();
        assert_eq!([call(f, 1), call(f, 2), call(g, 3), live() as c_int], [1, 3, 6, before as c_int + 2]);
        let f = first.as_mut().bind(|x: c_int| x - 1).unwrap();
        assert_eq!([call(f, 1), drops.get() as c_int, live() as c_int], [0, 1, before as c_int + 2]);
        let witness = Witness(drops.clone());
        first.bind(move |x: c_int| x + witness.0.get() as c_int).unwrap();
    }
    assert_eq!((live(), drops.get(), seen.get()), (before, 2, 2));
}

#[test]
fn an_inline_guard_with_send_and_sync_may_be_called_on_other_threads() {
    let _turn = turn();
    let mut guard = Box::pin(Inline::<Handler, 8, dyn Send + Sync>::new());
    let factor = 3;
    let f = guard.as_mut().bind(move |x: c_int| x * factor).unwrap();
    assert_eq!(std::thread::spawn(move || call(f, 2)).join().unwrap(), 6);
    std::thread::spawn(move || drop(guard)).join().unwrap();
}
