//! A pointer for every lifetime states each of its types: two types that differ in a `for<...>` are not inferred as one.

use statictramp::{bind, higher_ranked};
use std::cell::Cell;

type ForEvery = for<'x> unsafe extern "C" fn(&'x u8);
type ForStatic = unsafe extern "C" fn(&'static u8);

fn both(pair: (unsafe extern "C" fn(ForStatic), &Cell<Option<ForEvery>>)) -> unsafe extern "C" fn(ForStatic) {
    pair.0
}

fn main() {
    let kept = Cell::new(None);
    let keep = |f| kept.set(Some(f));
    let callback = bind(&keep).unwrap();
    let f = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(_));
    let _ = both((f, &kept));
}

macro_rules! hidden {
    ($callback:expr, $argument:ty) => {
        higher_ranked!($callback => for<'a> unsafe extern "C" fn($argument))
    };
}

fn in_a_fragment() {
    let callback = bind(&|_: u32| ()).unwrap();
    let _ = hidden!(&callback, _);
}
