//! Data that a guard keeps alive, and callbacks that are never freed.

use crate::turn;

#[test]
fn a_closure_is_dropped_with_its_owner() {
    let _turn = turn();
    let before = statictramp::live();
    let counted = std::rc::Rc::new(core::cell::Cell::new(0));
    {
        let held = counted.clone();
        let mut pinned = core::pin::pin!(statictramp::InPlace::new(move |x: i32| held.set(held.get() + x)));
        let f = pinned.as_mut().bind().unwrap();
        assert_eq!(f as usize, pinned.as_mut().bind().unwrap() as usize, "the pointer stays the same");
        // SAFETY: the `InPlace` is alive.
        unsafe { (f(5), f(6)) };
        assert_eq!((counted.get(), statictramp::live()), (11, before + 1));
    }
    let held = counted.clone();
    let boxed = statictramp::boxed(move |x: i32| held.set(held.get() + x)).unwrap();
    boxed.call((1,));
    boxed.into_inner()(2);
    assert_eq!((counted.get(), statictramp::live()), (14, before));
    assert_eq!(std::rc::Rc::strong_count(&counted), 1);

    let text = String::from("for good");
    let f = statictramp::leaked(move || text.len()).unwrap();
    // SAFETY: the trampoline is never freed.
    assert_eq!(unsafe { f() }, 8);
    assert_eq!(statictramp::live(), before + 1);
    // SAFETY: the only owner was forgotten.
    unsafe { statictramp::free(f as *const ()) }.unwrap();
}

#[test]
fn a_failed_bind_returns_the_closure() {
    let _turn = turn();
    statictramp::set_limit(statictramp::capacity());
    let filler = || ();
    let all: Vec<_> = std::iter::from_fn(|| statictramp::bind(&filler).ok()).collect();
    let text = String::from("kept");
    let Err(error) = statictramp::try_boxed(move || text.len()) else { panic!("bound one too many") };
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.starts_with("no further trampoline is available "), "{cause}");
    assert_eq!((error.source, (error.closure)()), (statictramp::AllocError::Full, 4));
    drop(all);
}
