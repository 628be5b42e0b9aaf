//! A closure that modifies its captures must be bound as such.

fn main() {
    let mut sum = 0;
    let add = |x: u32| sum += x;
    let _callback = statictramp::bind(&add).unwrap();
}
