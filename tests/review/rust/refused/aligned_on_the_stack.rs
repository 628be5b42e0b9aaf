//! says: on this target a closure of more than three words of arguments can take none that is aligned to more than 32 bytes
//!
//! Where this lies in front of which arguments a compiler knows from its alignment, and the adapter does not.

#[repr(C, align(64))]
struct Aligned([u8; 64]);

fn main() {
    let closure = |_: u64, _: u64, _: u64, aligned: Aligned| aligned.0[0];
    let _callback = statictramp::bind(&closure).unwrap();
}
