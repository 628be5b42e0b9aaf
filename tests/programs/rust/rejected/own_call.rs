//! says: `Call` is a "sealed trait"
//!
//! Only this crate implements `Call`. Two implementations by users could differ even if one type is a subtype of the
//! other.

struct Own<F>(F);

impl statictramp::Call<()> for Own<fn(&'static u32)> {
    type Output = usize;
    fn call(&self, (): ()) -> usize {
        0x1000
    }
}

impl statictramp::Call<()> for Own<for<'a> fn(&'a u32)> {
    type Output = &'static String;
    fn call(&self, (): ()) -> &'static String {
        unreachable!()
    }
}

fn main() {}
