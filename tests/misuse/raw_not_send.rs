//! A raw closure goes to other threads, or is called there, only if it may be.

use statictramp::raw::{self, Call};
use std::{cell::Cell, rc::Rc, thread::spawn};

fn main() {
    let shared = Rc::new(Cell::new(0));
    let guard = raw::boxed(move |_: &mut Call<'_>| shared.set(1)).unwrap();
    spawn(move || drop(guard));
}
