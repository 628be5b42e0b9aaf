//! A pointer for every lifetime requires a closure for every lifetime, and the guard keeps the closure's borrows.

use statictramp::{bind, boxed, higher_ranked};

fn main() {
    let keeps = std::cell::Cell::new(&0);
    let for_good = |x: &'static u32| keeps.set(x);
    let callback = bind(&for_good).unwrap();
    let _f = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a u32));

    let local = 5;
    let borrows = boxed(|x: &u32| *x + local).unwrap();
    let _guard = higher_ranked!(borrows => for<'a> unsafe extern "C" fn(&'a u32) -> u32);
}
