//! If the signature leaves a lifetime or a type to inference, it is the same for the closure and for the pointer.

use statictramp::{bind, higher_ranked};

fn for_every<'l, F: for<'a> Fn(&'a u32) -> &'l u32>(closure: F) -> F {
    closure
}

fn main() {
    let keeps = std::cell::Cell::new(&0);
    let for_good = |x: &'static u32| keeps.set(x);
    let callback = bind(&for_good).unwrap();
    let f = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&u32));
    let one = 1;
    unsafe { f(&one) };

    let two = 2;
    let borrowed = for_every(|_| &two);
    let callback = bind(&borrowed).unwrap();
    let _f: for<'a> unsafe extern "C" fn(&'a u32) -> &'a u32 =
        higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a u32) -> &u32);

    let keeps = std::cell::Cell::new("");
    let for_good = |_: &u32, text: &'static str| keeps.set(text);
    let callback = bind(&for_good).unwrap();
    let f = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a u32, _));
    let three = String::from("three");
    unsafe { f(&3, &three) };
}
