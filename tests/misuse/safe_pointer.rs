//! `as_safe_fn` is needed to get a pointer to a safe function.

extern "C" fn takes(_: extern "C" fn(u32) -> u32) {}

fn main() {
    let closure = |x: u32| x + 1;
    let callback = statictramp::bind(&closure).unwrap();
    takes(callback.as_fn());
}
