//! Function pointers with other calling conventions than `"C"`, and generic code for pointers of any type.

use crate::turn;
use core::ffi::c_int;
use statictramp::{AllocError, FunctionPointer, Guard, UnsafeFn, bind, boxed, by_mut, live, tupled, typed};

type System = unsafe extern "system" fn(c_int, f64) -> f64;

/// A function declared as in the crates for Windows.
extern "system" fn enumerate(callback: Option<System>, parameter: f64) -> f64 {
    // SAFETY: every caller keeps its guard alive.
    (1..4).map(|i| unsafe { callback.unwrap()(i, parameter) }).sum()
}

#[test]
fn every_kind_of_closure_can_use_the_system_convention() {
    let _turn = turn();
    let before = live();
    let factor = 2.0;
    let closure = typed(|i: c_int, x: f64| f64::from(i) * x * factor);
    let callback = bind(&closure).unwrap();
    assert_eq!(enumerate(Some(callback.as_fn()), 0.5), 6.0);

    let mut sum = 0.0;
    let adding = typed(by_mut(|i: c_int, x: f64| {
        sum += f64::from(i) + x;
        sum
    }));
    let callback = bind(&adding).unwrap();
    assert_eq!(enumerate(Some(callback.as_fn()), 1.0), 2.0 + 5.0 + 9.0);

    let guards: Vec<Guard<System>> = vec![
        Guard::new(typed(move |i: c_int, x: f64| f64::from(i) - x * factor)).unwrap(),
        boxed(typed(tupled(move |(i, x): (c_int, f64)| f64::from(i) * x - factor))).unwrap().erase(),
    ];
    assert_eq!([0, 1].map(|i: usize| enumerate(Some(guards[i].as_fn()), 1.0)), [0.0, 0.0]);

    let once: System = statictramp::one_shot(typed(move |_: c_int, x: f64| x + factor)).unwrap();
    // SAFETY: the only call.
    assert_eq!(unsafe { once(1, 1.0) }, 3.0);
    let plain: extern "system" fn(c_int, f64) -> f64 =
        statictramp::plain(typed::<System, _>(|_: c_int, x: f64| x));
    assert_eq!(enumerate(Some(plain), 2.0), 6.0);
    drop((callback, guards));
    assert_eq!(live(), before + 1); // `callback` of the first closure
}

#[test]
fn an_unwinding_pointer_type_lets_a_panic_through() {
    let _turn = turn();
    let closure = typed(|x: c_int| -> c_int { std::panic::resume_unwind(Box::new(x)) });
    let callback = bind(&closure).unwrap();
    let f: unsafe extern "system-unwind" fn(c_int) -> c_int = callback.as_fn();
    // SAFETY: the callback is alive.
    let panic = std::panic::catch_unwind(|| unsafe { f(7) }).unwrap_err();
    assert_eq!(panic.downcast_ref::<c_int>(), Some(&7));
}

/// Conventions equivalent to `"C"` on this target.
#[test]
fn conventions_equivalent_to_c_are_supported() {
    let _turn = turn();
    macro_rules! calls {
        ($($abi:literal)*) => {$(
            let closure = typed(|a: u8, b: f32, c: [u64; 3]| u64::from(a) + b as u64 + c[2]);
            let callback = bind(&closure).unwrap();
            #[allow(improper_ctypes_definitions)]
            let f: unsafe extern $abi fn(u8, f32, [u64; 3]) -> u64 = callback.as_fn();
            // SAFETY: the callback is alive.
            assert_eq!(unsafe { f(1, 2.0, [0, 0, 3]) }, 6, $abi);
        )*};
    }
    calls!("C" "C-unwind" "system" "system-unwind");
    #[cfg(all(target_arch = "x86_64", not(windows)))]
    calls!("sysv64");
    #[cfg(all(target_arch = "x86_64", windows))]
    calls!("win64" "efiapi");
    #[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
    calls!("efiapi");
}

/// Wraps a closure for any pointer type, as function-hooking crates do.
fn hooked<P: FunctionPointer + 'static>(
    original: P,
    hook: impl Fn(P, P::Args) -> P::Output + 'static,
) -> Result<Guard<P>, AllocError> {
    Guard::new(typed(tupled(move |args: P::Args| hook(original, args))))
}

#[test]
fn generic_code_accepts_closures_for_any_pointer_type() {
    unsafe extern "C" fn add(a: u8, b: i64) -> i64 {
        i64::from(a) + b
    }
    unsafe extern "system" fn nothing() {}
    let _turn = turn();
    let calls = std::rc::Rc::new(std::cell::Cell::new(0));
    let seen = calls.clone();
    // SAFETY: any arguments are allowed.
    let guard = hooked(add as unsafe extern "C" fn(u8, i64) -> i64, move |add, (a, b)| unsafe {
        seen.set(seen.get() + 1);
        10 * add.call((a + 1, b))
    });
    let guard = guard.unwrap();
    // SAFETY: the guard is alive, and its address belongs to a function of this type.
    let found = unsafe {
        let f = <unsafe extern "C" fn(u8, i64) -> i64>::from_ptr(guard.as_fn().to_ptr());
        [f(1, 2), f.call((3, -4))]
    };
    assert_eq!((found, calls.get()), ([40, 0], 2));
    let seen = calls.clone();
    let guard = hooked(nothing as unsafe extern "system" fn(), move |_, ()| seen.set(7)).unwrap();
    // SAFETY: the guard is alive.
    unsafe { guard.as_fn()() };
    assert_eq!(calls.get(), 7);
}
