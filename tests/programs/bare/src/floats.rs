//! Signatures of up to six words in every combination of integer and floating-point registers, for hard-float Arm.

/// A type that is passed in one or two registers of either kind.
trait Number: Copy + PartialEq + From<u8> {}
impl<N: Copy + PartialEq + From<u8>> Number for N {}

#[inline(never)]
fn call<A: Number, B: Number, C: Number>(f: unsafe extern "C" fn(A, B, C) -> f64) -> f64 {
    // SAFETY: the guard of the only caller is live.
    unsafe { f(A::from(1), B::from(2), C::from(3)) }
}

fn check<A: Number, B: Number, C: Number>() {
    let captured = 0.5;
    let closure = |a: A, b: B, c: C| {
        assert!(a == A::from(1) && b == B::from(2) && c == C::from(3));
        captured
    };
    let callback = statictramp::bind(&closure).unwrap();
    assert_eq!(call(callback.as_fn()), 0.5);
}

fn last<A: Number, B: Number>() {
    check::<A, B, u32>();
    check::<A, B, u64>();
    check::<A, B, f32>();
    check::<A, B, f64>();
}

fn last_two<A: Number>() {
    last::<A, u32>();
    last::<A, u64>();
    last::<A, f32>();
    last::<A, f64>();
}

pub fn every_signature() {
    last_two::<u32>();
    last_two::<u64>();
    last_two::<f32>();
    last_two::<f64>();
    let scale = 2.0;
    let closure = |x: f64, y: f32| x * scale + f64::from(y);
    let callback = statictramp::bind(&closure).unwrap();
    assert_eq!(callback.call((3.0, 0.25)), 6.25);
    semihosting::println!("64 signatures in integer and floating-point registers");
}
