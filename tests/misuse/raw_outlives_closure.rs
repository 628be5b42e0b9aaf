//! A raw callback borrows its closure.

use statictramp_raw::{self as raw, Call};

fn main() {
    let callback = {
        let closure = |_: &mut Call<'_>| {};
        raw::bind(&closure).unwrap()
    };
    callback.as_ptr();
}
