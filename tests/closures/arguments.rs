//! Arguments and results of every class.

use crate::turn;
use core::ffi::{c_int, c_void};

#[test]
fn qsort_sorts_by_captured_keys() {
    let _turn = turn();
    let keys = [5u8, 3, 9, 1];
    let compare = |a: *const c_void, b: *const c_void| -> c_int {
        // SAFETY: qsort passes pointers to two elements of `order`.
        let (a, b) = unsafe { (*a.cast::<u16>(), *b.cast::<u16>()) };
        c_int::from(keys[a as usize]) - c_int::from(keys[b as usize])
    };
    let callback = statictramp::bind(&compare).unwrap();
    let mut order = [0u16, 1, 2, 3];
    // SAFETY: there are 4 elements of 2 bytes, and the callback outlives the call.
    unsafe { libc::qsort(order.as_mut_ptr().cast(), 4, 2, Some(callback.as_fn())) };
    assert_eq!(order, [3, 1, 0, 2]);
}

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Large(pub [u64; 5]);

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Split {
    x: f64,
    n: u64,
}

#[test]
fn arguments_and_results_of_every_class_are_passed() {
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

    let six = |a: u8, b: f64, c: i64, d: Split, e: f32| {
        (a as f64 + b + c as f64 + d.x + d.n as f64 + e as f64) as u64 + base
    };
    let bound = statictramp::bind(&six).unwrap();
    assert_eq!(bound.call((1, 2.0, -3, Split { x: 4.0, n: 5 }, 6.0)), 1015);

    let in_memory = |a: u64, b: u64, c: f64| Large([a, b, c as u64, base, 5]);
    assert_eq!(statictramp::bind(&in_memory).unwrap().call((1, 2, 3.0)), Large([1, 2, 3, 1000, 5]));
}

/// The arguments take more than six words on targets that pass arguments independently of their types.
#[test]
fn sixteen_arguments_are_passed() {
    let _turn = turn();
    let base = 1000u64;
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
