//! says: a closure cannot take an argument aligned to more than 4096 bytes
//!
//! Such an argument is rejected on every target, although some targets would pass its address.

#[repr(C, align(8192))]
struct Aligned([u8; 8192]);

fn main() {
    let closure = |_: u64, aligned: Aligned| aligned.0[0];
    let _callback = statictramp::bind(&closure).unwrap();
}
