//! A parameter's type must be known, from the closure or from the context.

fn main() {
    let closure = |x| drop(x);
    let _callback = statictramp::bind(&closure).unwrap();
}

fn method() {
    let _callback = statictramp::boxed(|p| p.is_null()).unwrap();
}

fn safe_pointer() {
    let _: extern "C" fn(u32) -> u32 = statictramp::plain(statictramp::typed(|x: u32| x + 1));
}
