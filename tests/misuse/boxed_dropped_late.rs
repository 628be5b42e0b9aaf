//! A guard that owns its closure must be dropped before the variables that the closure borrows, even if it is not used
//! after their end.

use statictramp_raw::{self as raw, Call};
use statictramp::{Guard, Local, boxed};

type Pointer = unsafe extern "C" fn() -> u64;

fn apply(f: Pointer) -> u64 {
    unsafe { f() }
}

fn of_boxed() {
    let callback;
    let data = vec![42u64; 1000];
    callback = boxed(|| data[7]).unwrap();
    apply(callback.as_fn());
}

fn of_raw_boxed() {
    let callback;
    let data = vec![42u64; 1000];
    callback = raw::boxed(|call: &mut Call<'_>| unsafe { call.set(data[7]) }).unwrap();
    apply(callback.as_fn());
}

fn of_guard() {
    let guard: Guard<Pointer, dyn Local + '_>;
    let data = vec![42u64; 1000];
    guard = Guard::new(|| data[7]).unwrap();
    apply(guard.as_fn());
}

fn of_shared_guard() {
    let guard: Guard<Pointer, dyn Send + Sync + '_>;
    let data = vec![42u64; 1000];
    guard = Guard::shared(|| data[7]).unwrap();
    apply(guard.as_fn());
}

fn of_guards_in_a_vector() {
    let mut guards: Vec<Guard<Pointer, dyn Local + '_>> = Vec::new();
    let data = vec![42u64; 1000];
    guards.push(boxed(|| data[7]).unwrap().erase());
    guards.iter().for_each(|guard| drop(apply(guard.as_fn())));
}

/// The same programs with the guard dropped first. The compiler accepts them.
fn dropped_first() {
    let data = vec![42u64; 1000];
    let callback;
    callback = boxed(|| data[7]).unwrap();
    apply(callback.as_fn());
    let callback;
    callback = raw::boxed(|call: &mut Call<'_>| unsafe { call.set(data[7]) }).unwrap();
    apply(callback.as_fn());
    let guard: Guard<Pointer, dyn Local + '_>;
    guard = Guard::new(|| data[7]).unwrap();
    apply(guard.as_fn());
    let guard: Guard<Pointer, dyn Send + Sync + '_>;
    guard = Guard::shared(|| data[7]).unwrap();
    apply(guard.as_fn());
}

fn main() {
    of_boxed();
    of_raw_boxed();
    of_guard();
    of_shared_guard();
    of_guards_in_a_vector();
    dropped_first();
}
