//! Tests that `?` works on every fallible operation, whatever the closure has captured.

use crate::turn;
use statictramp::{Guard, InPlace, bind, boxed, leaked, leaked_safe_fn, one_shot};
use std::cell::Cell;
use std::rc::Rc;

macro_rules! all_that_can_fail {
    () => {{
        let shared = Rc::new(Cell::new(0)); // this is neither `Send` nor `Sync`
        let borrowed = &shared;
        let by_rc = |rc: Rc<Cell<u32>>| move |x: u32| rc.set(rc.get() + x);
        let borrowing = move |x: u32| borrowed.set(borrowed.get() + x);
        bind(&borrowing)?.call((1,));
        boxed(borrowing)?.call((1,));
        boxed(by_rc(shared.clone()))?.call((1,));
        let _ = Guard::new(by_rc(shared.clone()))?;
        let _ = Guard::<_, dyn statictramp::Local + '_>::new(borrowing)?;
        let _ = Guard::shared(|x: u32| x)?;
        let in_place = core::pin::pin!(InPlace::new(borrowing));
        in_place.bind()?;
        let (for_good, safe) = (leaked(by_rc(shared.clone()))?, leaked_safe_fn(|x: u32| x)?);
        let once = one_shot(by_rc(shared.clone()))?;
        // SAFETY: each trampoline is alive until it is freed here, and `once` is called only here.
        unsafe {
            once(1);
            statictramp::free(for_good as *const ())?;
            statictramp::free(safe as *const ())?;
        }
        assert_eq!(shared.get(), 4);
        statictramp::lookup(core::ptr::null())?;
        unreachable!("null is no trampoline")
    }};
}

#[test]
fn question_mark_converts_errors_from_fallible_functions() {
    fn errors_of_std_convert() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        all_that_can_fail!()
    }
    fn of_anyhow() -> anyhow::Result<()> {
        all_that_can_fail!()
    }
    let _turn = turn();
    for error in [errors_of_std_convert().unwrap_err(), of_anyhow().unwrap_err().into()] {
        assert_eq!(error.to_string(), "the address is not in this copy's table of trampolines");
    }
}

#[test]
fn an_error_returns_its_source() {
    use statictramp::{FreeError, LookupError};
    use std::error::Error;

    // SAFETY: null is not the address of a live trampoline.
    let error = unsafe { statictramp::free(core::ptr::null()) }.unwrap_err();
    assert_eq!(error, FreeError::Lookup(LookupError::Foreign));
    assert_eq!(error.to_string(), "no trampoline begins at this address");
    assert_eq!(error.source().unwrap().to_string(), LookupError::Foreign.to_string());
    assert!(FreeError::Dead.source().is_none());
}
