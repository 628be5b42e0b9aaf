//! A closure that consumes its captures must be bound as such.

fn main() {
    let text = String::from("gone");
    let consume = || drop(text);
    let _callback = statictramp::boxed(consume).unwrap();
}
