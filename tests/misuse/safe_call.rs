//! Getting the pointer is safe, but calling it is not.

fn main() {
    let closure = |x: u32| x + 1;
    let callback = statictramp::bind(&closure).unwrap();
    callback.as_fn()(1);
}
