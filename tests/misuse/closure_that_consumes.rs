//! A closure that consumes what it captured must say so.

fn main() {
    let text = String::from("gone");
    let consume = || drop(text);
    let _callback = statictramp::boxed(consume).unwrap();
}
