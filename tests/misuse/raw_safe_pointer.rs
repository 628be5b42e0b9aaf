//! A raw closure's `as_fn` returns a pointer to an unsafe function.

use statictramp_raw::{self as raw, Call};

fn main() {
    let handler = |_: &mut Call<'_>| {};
    let callback = raw::bind(&handler).unwrap();
    let _: extern "C" fn(u32) = callback.as_fn();
}
