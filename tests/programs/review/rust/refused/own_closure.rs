//! says: `Closure` is a "sealed trait"
//!
//! What can be bound is this crate's matter.

struct Own;

impl statictramp::Closure<()> for Own {
    type Pointer = usize;
    type Output = ();
}

fn main() {}
