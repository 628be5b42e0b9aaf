//! The types of a pointer for every lifetime are those of the closure.

use statictramp::{boxed, higher_ranked};

fn main() {
    let length = boxed(|x: &str| x.len()).unwrap();
    let _f = higher_ranked!(&length => for<'a> unsafe extern "C" fn(&'a [u8]) -> usize);
    let _f = higher_ranked!(&length => for<'a> unsafe extern "C" fn(&'a str) -> u32);
    let _f = higher_ranked!(&length => for<'a> unsafe extern "C-unwind" fn(&'a str) -> usize);
}
