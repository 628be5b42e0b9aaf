//! A callback borrows its closure.

fn main() {
    let callback = {
        let closure = |x: u32| x + 1;
        statictramp::bind(&closure).unwrap()
    };
    callback.call((1,));
}
