//! A pointer whose ABI allows unwinding is not accepted as one whose ABI does not.

extern "C" fn takes(f: unsafe extern "C" fn(u32)) {
    unsafe { f(1) }
}

fn main() {
    let closure = statictramp::unwind(|_: u32| panic!());
    let callback = statictramp::bind(&closure).unwrap();
    takes(callback.as_fn());
}
