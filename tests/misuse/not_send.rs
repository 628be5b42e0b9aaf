//! A thread that takes a closure's owner must be able to drop the closure.

fn main() {
    let shared = std::rc::Rc::new(1);
    let callback = statictramp::boxed(move || *shared).unwrap();
    std::thread::spawn(move || callback.call(()));
}
