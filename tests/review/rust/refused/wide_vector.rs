//! says: on this target a closure of more than three words of arguments can take none that is aligned to more than 32 bytes
//!
//! The same of a vector of 64 bytes.

use core::arch::x86_64::__m512;

fn main() {
    let closure = |_: u64, _: u64, _: u64, _: __m512| ();
    let _callback = statictramp::boxed(closure).unwrap();
}
