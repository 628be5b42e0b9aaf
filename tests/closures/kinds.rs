//! Closures that modify or consume their captures, panics, and other calling conventions.

#[cfg(not(target_arch = "arm"))]
use crate::arguments::Large;
use crate::turn;

#[test]
fn a_mutable_closure_modifies_its_captures() {
    let _turn = turn();
    let mut seen = Vec::new();
    let collect = statictramp::by_mut(|x: u32, y: f32| {
        seen.push((x, y));
        seen.len()
    });
    let bound = statictramp::bind(&collect).unwrap();
    assert_eq!((bound.call((1, 0.5)), bound.call((2, 1.5))), (1, 2));
    drop(bound);
    assert_eq!(seen, [(1, 0.5), (2, 1.5)]);
}

#[test]
fn a_consuming_closure_is_called_once_or_dropped() {
    let _turn = turn();
    let counted = std::rc::Rc::new(());
    let held = counted.clone();
    let give = statictramp::once(move |x: u8| (x, held));
    let bound = statictramp::boxed(give).unwrap();
    // Only `call` can return this result, because it has no C type.
    let (x, held) = bound.call((7,));
    assert_eq!((x, std::rc::Rc::strong_count(&counted)), (7, 2));
    drop((held, bound));
    let held = counted.clone();
    drop(statictramp::boxed(statictramp::once(move || drop(held))).unwrap());
    assert_eq!(std::rc::Rc::strong_count(&counted), 1, "not called, but dropped");
}

#[test]
fn a_panic_unwinds_through_stub_and_adapter_if_allowed() {
    let _turn = turn();
    // One signature uses registers, and the other uses memory.
    let (limit, silent) = (3u64, std::panic::take_hook());
    std::panic::set_hook(Box::new(|_| {}));
    let short = statictramp::unwind(|x: u64| if x > limit { panic!("short") } else { x });
    #[cfg(not(target_arch = "arm"))]
    let (long, large) = (
        statictramp::unwind(
            |a: Large, b: u64, c: u64, d: u64| {
                if a.0[0] + b + c + d > limit { panic!("long") } else { Large([limit; 5]) }
            },
        ),
        |x| Large([x; 5]),
    );
    #[cfg(target_arch = "arm")]
    let (long, large) = (
        statictramp::unwind(
            |a: u8, b: u8, c: u8, d: u8| {
                if u64::from(a + b + c + d) > limit { panic!("long") } else { limit as u8 }
            },
        ),
        |x| x as u8,
    );
    let (short, long) = (statictramp::bind(&short).unwrap(), statictramp::bind(&long).unwrap());
    let f: unsafe extern "C-unwind" fn(u64) -> u64 = short.as_fn();
    for x in 0..6 {
        // SAFETY: the callbacks are alive.
        let caught = std::panic::catch_unwind(|| unsafe { f(x) });
        assert_eq!(caught.ok(), (x <= 3).then_some(x));
        let caught = std::panic::catch_unwind(|| long.call((large(x), 0, 0, 0)));
        assert_eq!(caught.ok(), (x <= 3).then_some(large(3)));
    }
    let by_mut = statictramp::unwind(statictramp::by_mut(|x: u64| {
        if x > limit {
            panic!()
        }
    }));
    let by_mut = statictramp::bind(&by_mut).unwrap();
    assert!(std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| by_mut.call((9,)))).is_err());
    by_mut.call((1,)); // a panic also ends the call, so another call may begin
    std::panic::set_hook(silent);
}

#[test]
fn guards_are_send_and_sync_if_the_closure_is() {
    fn send<T: Send>(_: &T) {}
    fn sync<T: Sync>(_: &T) {}
    let _turn = turn();
    let shared = |x: u8| x;
    send(&statictramp::bind(&shared).unwrap());
    let mut count = 0;
    let exclusive = statictramp::by_mut(|| count += 1);
    send(&statictramp::bind(&exclusive).unwrap());
    let boxed = statictramp::boxed(statictramp::once(|| ())).unwrap();
    send(&boxed);
    sync(&boxed);
}
