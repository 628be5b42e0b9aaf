//! A pointer with another convention needs `typed`, and a Rust function type has no closures.

use statictramp::{Guard, typed};

type System = Option<unsafe extern "system" fn(u32) -> u32>;

fn takes(_: System) {}
fn in_rust(_: unsafe fn(u32) -> u32) {}

fn main() {
    let closure = |x: u32| x + 1;
    let callback = statictramp::bind(&closure).unwrap();
    takes(Some(callback.as_fn()));
    in_rust(callback.as_fn());
    let closure = typed(closure);
    let callback = statictramp::bind(&closure).unwrap();
    in_rust(callback.as_fn());
    let _: Guard<unsafe fn(u32) -> u32> = Guard::new(typed(|x: u32| x + 1)).unwrap();
}
