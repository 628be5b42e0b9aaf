//! The pointer of a guard is for one lifetime. `higher_ranked!` makes a pointer for every lifetime.

use statictramp::{Guard, bind};

extern "C" fn takes(_: for<'a> unsafe extern "C" fn(&'a u32) -> u32) {}

fn main() {
    let closure = |x: &u32| *x + 1;
    let callback = bind(&closure).unwrap();
    takes(callback.as_fn());
    let _: Guard<for<'a> unsafe extern "C" fn(&'a u32) -> u32> = Guard::new(closure).unwrap();
}
