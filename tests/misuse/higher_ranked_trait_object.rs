//! `higher_ranked!` gives `dyn Trait` in a safe pointer the lifetime that the closure accepts, `'static`.

use statictramp::{boxed, higher_ranked};
use std::sync::Mutex;

static KEPT: Mutex<Vec<Box<dyn Fn() -> usize + Send>>> = Mutex::new(Vec::new());

fn main() {
    let closure = boxed(|_: &u8, f: Box<dyn Fn() -> usize + Send>| KEPT.lock().unwrap().push(f)).unwrap();
    let keep = higher_ranked!(closure => for<'a> extern "C" fn(&'a u8, Box<dyn Fn() -> usize + Send>));
    let text = String::from("freed");
    let text = text.as_str();
    keep(&1, Box::new(move || text.len()));
}
