//! Closures without captures.

use crate::turn;
use core::ffi::c_int;
use statictramp::{live, plain, unwind};

#[test]
fn a_closure_that_captures_nothing_takes_no_slot() {
    let _turn = turn();
    statictramp::set_limit(statictramp::capacity());
    let filler = || ();
    let all: Vec<_> = std::iter::from_fn(|| statictramp::bind(&filler).ok()).collect();
    let f: extern "C" fn(c_int, f64, &'static str) -> f64 =
        plain(|x: c_int, y: f64, text: &'static str| f64::from(x) + y + text.len() as f64);
    assert_eq!((f(1, 0.5, "four"), live()), (5.5, all.len()));
    drop(all);
}

#[test]
fn plain_returns_a_pointer_to_a_safe_c_or_c_unwind_function() {
    let none: extern "C" fn() -> u8 = plain(|| 7);
    let may_panic: extern "C-unwind" fn(u8) -> u8 =
        plain(unwind(|x: u8| if x > 5 { std::panic::resume_unwind(Box::new(x)) } else { x }));
    assert_eq!((none(), may_panic(5)), (7, 5));
    assert!(std::panic::catch_unwind(|| may_panic(6)).is_err());
    let sixteen = plain(
        |a: u8,
         b: u8,
         c: u8,
         d: u8,
         e: u8,
         f: u8,
         g: u8,
         h: u8,
         i: u8,
         j: u8,
         k: u8,
         l: u8,
         m: u8,
         n: u8,
         o: u8,
         p: u64| {
            [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o].iter().map(|&x| u64::from(x)).sum::<u64>() + p
        },
    );
    assert_eq!(sixteen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), 136);
}

/// Captures a zero-sized value, which may have a meaning: in this test it is the proof of a fact.
#[test]
fn plain_accepts_zero_sized_captures() {
    #[derive(Clone, Copy)]
    struct Proof;
    impl Proof {
        fn number(self) -> u32 {
            42
        }
    }
    let proof = Proof;
    assert_eq!(plain(move || proof.number())(), 42);
}
