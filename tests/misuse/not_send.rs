//! Who takes a closure's heap along must be able to drop it.

fn main() {
    let shared = std::rc::Rc::new(1);
    let callback = statictramp::boxed(move || *shared).unwrap();
    std::thread::spawn(move || callback.call(()));
}
