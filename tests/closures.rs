//! Closures through plain function pointers, called by real C functions and by our own.

use core::ffi::{c_int, c_void};
use std::cell::RefCell;
use std::process::Command;
use std::sync::Mutex;

/// The table belongs to the process: tests that fill it take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> std::sync::MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[test]
fn qsort_sorts_by_what_the_closure_captured() {
    let _turn = turn();
    let keys = [5u8, 3, 9, 1];
    let compare = |a: *const c_void, b: *const c_void| -> c_int {
        // SAFETY: qsort passes pointers to two elements of `order`.
        let (a, b) = unsafe { (*a.cast::<u16>(), *b.cast::<u16>()) };
        c_int::from(keys[a as usize]) - c_int::from(keys[b as usize])
    };
    let callback = statictramp::bind(&compare).unwrap();
    let mut order = [0u16, 1, 2, 3];
    // SAFETY: 4 elements of 2 bytes; the callback outlives the call.
    unsafe { libc::qsort(order.as_mut_ptr().cast(), 4, 2, Some(callback.as_fn())) };
    assert_eq!(order, [3, 1, 0, 2]);
}

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Large([u64; 5]);

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Split {
    x: f64,
    n: u64,
}

#[test]
fn arguments_and_results_of_every_class_go_through() {
    let _turn = turn();
    let base = 1000u64;
    let none = || base;
    assert_eq!(statictramp::bind(&none).unwrap().call(()), 1000);

    let in_memory =
        |by_value: Large, x: f64, tail: u8| Large([by_value.0[4] + base, x as u64, tail.into(), 0, 7]);
    let bound = statictramp::bind(&in_memory).unwrap();
    assert_eq!(bound.call((Large([0, 1, 2, 3, 4]), 2.5, 9)), Large([1004, 2, 9, 0, 7]));

    let split = |s: Split, t: Split, f: f32| Split { x: s.x + t.x + f64::from(f), n: s.n * t.n + base };
    let bound = statictramp::bind(&split).unwrap();
    let result = bound.call((Split { x: 0.5, n: 3 }, Split { x: 0.25, n: 4 }, 8.0));
    assert_eq!(result, Split { x: 8.75, n: 1012 });

    #[rustfmt::skip]
    let many = |a: u8, b: i16, c: u32, d: i64, e: f32, f: f64, g: u64, h: i8,
                i: f64, j: u16, k: Large, l: f32, m: i32, n: u64, o: f64, p: u8| {
        (a as f64 + b as f64 + c as f64 + d as f64 + e as f64 + f + g as f64 + h as f64 + i + j as f64
            + k.0[2] as f64 + l as f64 + m as f64 + n as f64 + o) * p as f64 + base as f64
    };
    let bound = statictramp::bind(&many).unwrap();
    let sum = bound.call((
        1,
        -2,
        3,
        -4,
        0.5,
        6.25,
        7,
        -8,
        9.0,
        10,
        Large([0, 0, 11, 0, 0]),
        12.0,
        -13,
        14,
        0.25,
        2,
    ));
    assert_eq!(
        sum,
        (1. - 2. + 3. - 4. + 0.5 + 6.25 + 7. - 8. + 9. + 10. + 11. + 12. - 13. + 14. + 0.25) * 2. + 1000.
    );
}

#[test]
fn each_of_many_has_its_own_context_and_a_full_table_is_an_error() {
    let _turn = turn();
    statictramp::set_limit(statictramp::capacity());
    let closures: Vec<_> = (0..statictramp::capacity()).map(|i| move |x: usize| x * 3 + i).collect();
    let bound: Vec<_> = closures.iter().map(|closure| statictramp::bind(closure).unwrap()).collect();
    assert_eq!(statictramp::live(), statictramp::capacity());
    let refused = statictramp::bind(&closures[0]);
    assert!(matches!(refused, Err(statictramp::AllocError::Full)));
    assert!(refused.err().unwrap().to_string().contains("STATICTRAMP_"));
    for (i, callback) in bound.iter().enumerate() {
        assert_eq!(callback.call((100,)), 300 + i);
    }
    drop(bound);
    assert_eq!(statictramp::live(), 0);
}

#[test]
fn an_address_alone_is_enough_to_look_up_and_free() {
    let _turn = turn();
    use statictramp::{FreeError, Lookup, NotOurs, Trampoline};
    let (callee, chain) = (turn as *const (), core::ptr::without_provenance_mut(0x55));
    assert_eq!(Trampoline::new(core::ptr::null(), chain).unwrap_err(), statictramp::AllocError::NullCallee);
    let trampoline = Trampoline::new(callee, chain).unwrap();
    let slot = trampoline.slot();
    let address = trampoline.into_raw();
    assert_eq!(statictramp::lookup(address), Ok(Lookup::Live { slot, callee, chain, entry: callee }));
    assert_eq!(statictramp::lookup(address.wrapping_byte_add(1)), Err(NotOurs::Interior));
    assert_eq!(statictramp::lookup(callee), Err(NotOurs::Foreign));
    // SAFETY: nobody else frees the one trampoline, which came from `into_raw`.
    unsafe {
        assert_eq!(
            statictramp::free(address.wrapping_byte_add(8)),
            Err(FreeError::NotOurs(NotOurs::Interior))
        );
        assert_eq!(statictramp::free(core::ptr::null()), Err(FreeError::NotOurs(NotOurs::Foreign)));
        assert_eq!(statictramp::free(address), Ok(()));
        assert_eq!(statictramp::free(address), Err(FreeError::Dead));
    }
    assert_eq!(statictramp::lookup(address), Ok(Lookup::Dead { callee }));
}

#[test]
fn a_closure_may_free_and_make_trampolines_and_call_itself() {
    let _turn = turn();
    thread_local!(static SELF: RefCell<Option<unsafe extern "C" fn(u64) -> u64>> = const { RefCell::new(None) });
    let factorial = |n: u64| {
        let inner = |x: u64| x * n;
        let bound = statictramp::bind(&inner).unwrap();
        let itself = SELF.with(|s| s.borrow().unwrap());
        // SAFETY: the callback below lives until the outermost call is back.
        if n <= 1 { 1 } else { bound.call((unsafe { itself(n - 1) },)) }
    };
    let bound = statictramp::bind(&factorial).unwrap();
    SELF.with(|s| *s.borrow_mut() = Some(bound.as_fn()));
    assert_eq!(bound.call((20,)), 2_432_902_008_176_640_000);
}

/// Runs one test of this file again in a process of its own, with a variable set.
fn rerun(test: &str) -> std::process::Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("STATICTRAMP_TEST_CHILD", "1")
        .output()
        .unwrap()
}

fn is_child() -> bool {
    std::env::var_os("STATICTRAMP_TEST_CHILD").is_some()
}

#[test]
fn a_call_after_the_drop_says_so_and_aborts() {
    use std::os::unix::process::ExitStatusExt;
    if is_child() {
        let closure = |x: c_int| x;
        let bound = statictramp::bind(&closure).unwrap();
        let stale = bound.as_fn();
        drop(bound);
        // SAFETY: none: this call is what the library must catch.
        unsafe { stale(1) };
        unreachable!();
    }
    let output = rerun("a_call_after_the_drop_says_so_and_aborts");
    assert_eq!(output.status.signal(), Some(libc::SIGABRT));
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| line.starts_with("statictramp: ")).expect("a line");
    assert!(line.contains("slot ") && line.contains("late callee 0x"), "{line}");
}

#[test]
fn a_panic_in_a_closure_aborts_instead_of_unwinding_into_c() {
    use std::os::unix::process::ExitStatusExt;
    if is_child() {
        let closure = |x: c_int| {
            if x == 1 {
                panic!("in a closure")
            }
        };
        let bound = statictramp::bind(&closure).unwrap();
        // SAFETY: the callback is alive.
        let _ = std::panic::catch_unwind(|| unsafe { bound.as_fn()(1) });
        unreachable!();
    }
    let output = rerun("a_panic_in_a_closure_aborts_instead_of_unwinding_into_c");
    assert_eq!(output.status.signal(), Some(libc::SIGABRT));
}
