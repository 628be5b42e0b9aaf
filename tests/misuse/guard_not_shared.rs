//! A guard cannot promise thread safety if its closure is not thread-safe.

use statictramp::{Guard, boxed};

fn main() {
    let shared = std::rc::Rc::new(1);
    let closure = move |x: u32| x + *shared;
    let _guard = boxed(closure.clone()).unwrap().erase_shared();
    let _guard = Guard::shared(closure).unwrap();
}
