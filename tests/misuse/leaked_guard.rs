//! A guard that borrows, or whose closure must stay on its thread, cannot be leaked as a function that lives longer.

use statictramp::{Guard, bind, boxed, higher_ranked};

higher_ranked! {
    type OnText = for<'a> unsafe extern "C" fn(&'a u8);
}

fn of_callback() {
    let local = 5;
    let closure = |x: u32| x + local;
    bind(&closure).unwrap().leak();
}

fn of_guards() {
    let local = 5;
    boxed(|x: u8| x + local).unwrap().leak();
    Guard::new(|x: u8| x + local).unwrap().leak();
    let _: Guard<OnText> = higher_ranked!(boxed(|x: &u8| assert!(*x > local)).unwrap() => OnText);
}

fn of_local_closures() {
    let count = std::rc::Rc::new(5u8);
    let same = count.clone();
    boxed(move |x: u32| x + u32::from(*same)).unwrap().leak_safe_fn();
    higher_ranked!(boxed(move |x: &u8| assert!(*x > *count)).unwrap() => OnText, dyn Send + Sync);
}

fn of_a_safe_function() {
    let callback = bind(&|_: &u8| ()).unwrap();
    higher_ranked!(&callback => for<'a> extern "C" fn(&'a u8));
}

fn of_a_safe_function_on_all_threads() {
    let limit = core::cell::Cell::new(5u8);
    higher_ranked!(boxed(move |x: &u8| assert!(*x > limit.get())).unwrap() => for<'a> extern "C" fn(&'a u8));
}

fn main() {}
