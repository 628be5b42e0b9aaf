//! An `InPlace` must be dropped before the variables that its closure borrows, even if it is not used after their end.

use core::pin::{Pin, pin};
use statictramp::InPlace;

fn apply(f: unsafe extern "C" fn() -> u64) -> u64 {
    unsafe { f() }
}

fn on_the_stack() {
    let mut callback = pin!(None);
    let data = vec![42u64; 1000];
    callback.set(Some(InPlace::new(|| data[7])));
    apply(callback.as_mut().as_pin_mut().unwrap().bind().unwrap());
}

fn on_the_heap() {
    let mut callback;
    let data = vec![42u64; 1000];
    callback = Box::pin(InPlace::new(|| data[7]));
    apply(callback.as_mut().bind().unwrap());
}

fn in_a_struct() {
    struct Owner<K> {
        callback: Pin<Box<InPlace<K, ()>>>,
    }
    let mut owner;
    let data = vec![42u64; 1000];
    owner = Owner { callback: Box::pin(InPlace::new(|| data[7])) };
    apply(owner.callback.as_mut().bind().unwrap());
}

/// The same programs with the guard dropped first. The compiler accepts them.
fn dropped_first() {
    let data = vec![42u64; 1000];
    let mut callback = pin!(Some(InPlace::new(|| data[7])));
    apply(callback.as_mut().as_pin_mut().unwrap().bind().unwrap());
    let mut callback;
    callback = Box::pin(InPlace::new(|| data[7]));
    apply(callback.as_mut().bind().unwrap());
}

/// A reference among the arguments may refer to a variable that the guard outlives.
fn argument_dropped_before_the_guard() {
    let mut callback = pin!(InPlace::new(|x: &u64| *x));
    let f = callback.as_mut().bind().unwrap();
    let argument = 42;
    unsafe { f(&argument) };
}

fn main() {
    on_the_stack();
    on_the_heap();
    in_a_struct();
    dropped_first();
    argument_dropped_before_the_guard();
}
