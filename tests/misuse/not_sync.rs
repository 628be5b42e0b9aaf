//! A callback may be called on the thread to which it is sent, so the closure must allow this.

use std::cell::Cell;

fn main() {
    let count = Cell::new(0);
    let closure = || count.set(count.get() + 1);
    let callback = statictramp::bind(&closure).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || callback.call(()));
    });
}
