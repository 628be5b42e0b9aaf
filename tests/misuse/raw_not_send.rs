//! A raw closure can be sent to other threads, or called there, only if its type permits that.

use statictramp_raw::{self as raw, Call};
use std::{cell::Cell, rc::Rc, thread::spawn};

fn main() {
    let shared = Rc::new(Cell::new(0));
    let guard = raw::boxed(move |_: &mut Call<'_>| shared.set(1)).unwrap();
    spawn(move || drop(guard));
}
