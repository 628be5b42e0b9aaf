//! A closure that changes what it captured must say so.

fn main() {
    let mut sum = 0;
    let add = |x: u32| sum += x;
    let _callback = statictramp::bind(&add).unwrap();
}
