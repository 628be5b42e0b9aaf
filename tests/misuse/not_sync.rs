//! A callback may be called on the thread that it is sent to: the closure must allow that.

use std::cell::Cell;

fn main() {
    let count = Cell::new(0);
    let closure = || count.set(count.get() + 1);
    let callback = statictramp::bind(&closure).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || callback.call(()));
    });
}
