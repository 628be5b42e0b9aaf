//! Even in `unwind`, a closure that changes its captured variables needs `by_mut`.

fn main() {
    let mut sum = 0;
    let add = statictramp::unwind(|x: u32| sum += x);
    let _callback = statictramp::bind(&add).unwrap();
}
