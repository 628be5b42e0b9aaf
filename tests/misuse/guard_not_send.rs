//! A guard whose type does not say that its closure is `Send` cannot go to other threads.

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
