//! A value that is not a closure cannot be bound.

struct Handler;

fn main() {
    let _callback = statictramp::bind(&5).unwrap();
    let _callback = statictramp::boxed(Handler).unwrap();
}
