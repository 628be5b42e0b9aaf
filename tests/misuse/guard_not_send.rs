//! A guard can be sent to other threads only if its type states that the closure is `Send`.

use statictramp::Guard;

fn main() {
    let shared = std::rc::Rc::new(1);
    let guard = Guard::new(move |x: u32| x + *shared).unwrap();
    std::thread::spawn(move || drop(guard));
    let guard = Guard::new(|x: u32| x).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| guard.as_fn());
    });
}
