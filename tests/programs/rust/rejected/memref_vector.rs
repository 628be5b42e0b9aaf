//! says: vectors can be passed by value if they have 16 bytes, on x86-64 and AArch64
//!
//! Larger vectors are passed in other registers if the code was compiled for a processor that has
//! these registers.

use statictramp_interop::memref::{Vector, bind};

fn main() {
    let sum = |v: Vector<f32, 8>| v.0.iter().sum::<f32>();
    let _ = bind(&sum);
}
