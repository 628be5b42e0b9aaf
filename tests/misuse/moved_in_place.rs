//! A closure bound in place cannot be moved.

fn main() {
    let mut callback = statictramp::InPlace::new(|x: u32| x + 1);
    let _pointer = callback.bind().unwrap();
}
