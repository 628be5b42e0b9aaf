//! The result of a `higher_ranked!` pointer cannot borrow from an argument.

use statictramp::{bind, higher_ranked};

fn same<'a>(x: &'a u32) -> &'a u32 {
    x
}

fn main() {
    let callback = bind(&same).unwrap();
    let _ = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a u32) -> &'a u32);
}
