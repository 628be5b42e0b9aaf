//! The signature leaves no type to inference, and each reference has a named lifetime.

use statictramp::{bind, higher_ranked};

fn main() {
    let keeps = std::cell::Cell::new("");
    let for_good = |_: &u32, text: &'static str| keeps.set(text);
    let callback = bind(&for_good).unwrap();
    let f = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a u32, _));
    let three = String::from("three");
    unsafe { f(&3, &three) };
}

fn unnamed() {
    let callback = bind(&|x: &u32, y: &u32| *x + *y).unwrap();
    let _ = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a u32, &u32) -> u32);
}

fn named_elsewhere<'l>(value: &'l u32) {
    let keep = |cell: &std::cell::Cell<&'l u32>| cell.set(value);
    let callback = bind(&keep).unwrap();
    let _ = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a std::cell::Cell<&'l u32>));
}
