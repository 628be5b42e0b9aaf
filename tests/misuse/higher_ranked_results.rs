//! The result of a pointer for every lifetime borrows from the arguments from which the closure's result borrows.

use statictramp::{bind, higher_ranked};

fn for_one<F: for<'a> Fn(&'a str, &'a str) -> &'a str>(closure: F) -> F {
    closure
}

fn main() {
    let either = for_one(|x, y| if x.len() > y.len() { x } else { y });
    let callback = bind(&either).unwrap();
    let _ = higher_ranked!(&callback => for<'a, 'b> unsafe extern "C" fn(&'a str, &'b str) -> &'a str);
}

fn second<'a>(_: &str, y: &'a str) -> &'a str {
    y
}

fn another_argument() {
    let callback = bind(&second).unwrap();
    let _ = higher_ranked!(&callback => for<'a, 'b> unsafe extern "C" fn(&'a str, &'b str) -> &'a str);
}

fn swap<'a>(x: &mut &'a str, y: &mut &'a str) {
    core::mem::swap(x, y);
}

fn arguments_of_one_lifetime() {
    let callback = bind(&swap).unwrap();
    let _ = higher_ranked!(&callback => for<'a, 'b, 'c, 'd> unsafe extern "C" fn(&'a mut &'b str, &'c mut &'d str));
}

fn captured_variable() {
    let text = String::from("text");
    let borrowed = |_: &u32| text.as_str();
    let callback = bind(&borrowed).unwrap();
    let _ = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a u32) -> &'a str);
}

fn shorter_than_static() {
    let text = String::from("text");
    let borrowed = |_: &u32| text.as_str();
    let callback = bind(&borrowed).unwrap();
    let _ = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a u32) -> &'static str);
}

fn inferred() {
    let text = String::from("text");
    let borrowed = |_: &u32| text.as_str();
    let callback = bind(&borrowed).unwrap();
    let _ = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a u32) -> _);
}

fn closure_without_a_bound() {
    let callback = bind(&|text: &str| text).unwrap();
    let _ = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a str) -> &'a str);
}
