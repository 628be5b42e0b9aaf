//! A one-shot closure that waits for its call cannot borrow.

fn main() {
    let local = 5;
    let _pointer = statictramp::one_shot(|| local).unwrap();
}
