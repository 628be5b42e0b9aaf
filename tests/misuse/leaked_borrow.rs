//! A function pointer that is never freed cannot borrow.

fn main() {
    let local = 5;
    let _pointer = statictramp::leaked(|| local).unwrap();
    let reference = &local;
    let _pointer = statictramp::leaked(move || *reference).unwrap();
}
