//! A closure over a memref, for a processor that has none: the compiler must say so (tests/legs/cross.sh).

use statictramp_interop::memref::{Ranked, bind};

fn main() {
    let closure = |m: Ranked<f32, 1>| m.sizes[0];
    bind(&closure);
}
