//! A closure over a memref and an `f16`, for a processor that supports neither. The compiler must report this
//! (tests/legs/cross.sh).

use statictramp_interop::memref::{F16, Ranked, bind};

fn main() {
    let closure = |m: Ranked<f32, 1>, _: F16| m.sizes[0];
    let _ = bind(&closure);
}
