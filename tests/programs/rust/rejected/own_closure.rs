//! says: `Closure` is a "sealed trait"
//!
//! Only this crate defines the types that can be bound.

struct Own;

impl statictramp::Closure<()> for Own {
    type Pointer = usize;
    type Output = ();
}

fn main() {}
