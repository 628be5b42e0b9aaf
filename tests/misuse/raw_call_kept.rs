//! A call ends when its handler returns, so the handler cannot keep it.

use statictramp_raw::{self as raw, Call};
use std::cell::Cell;

fn main() {
    let kept = Cell::new(None);
    let callback = raw::bind(&|call: &mut Call<'_>| kept.set(Some(call)));
    drop(callback);
}
