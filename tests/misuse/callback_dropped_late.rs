//! The guard of `bind` must be dropped before its closure, even if it is not used after the closure's end.

use statictramp::{Callback, Closure, bind, by_mut};

struct Owner<'f, K: Closure<()>> {
    _callback: Callback<'f, K, ()>,
}

fn apply(f: unsafe extern "C" fn() -> u64) -> u64 {
    unsafe { f() }
}

fn declared_before_the_closure() {
    let callback;
    let data = vec![42u64; 1000];
    let closure = || data[7];
    callback = bind(&closure).unwrap();
    apply(callback.as_fn());
}

fn outside_the_scope_of_the_closure() {
    let callback;
    let f;
    {
        let closure = || 42;
        callback = bind(&closure).unwrap();
        f = callback.as_fn();
    }
    apply(f);
}

fn in_an_option() {
    let mut callback = None;
    let closure = || 42;
    apply(callback.insert(bind(&closure).unwrap()).as_fn());
}

fn in_a_vector() {
    let mut callbacks = Vec::new();
    let closure = || 42;
    callbacks.push(bind(&closure).unwrap());
    callbacks.iter().for_each(|callback| drop(apply(callback.as_fn())));
}

fn in_a_struct() {
    let _owner;
    let closure = || 42;
    _owner = Owner { _callback: bind(&closure).unwrap() };
}

fn captured_variable_moved_early() -> Vec<u64> {
    let data = vec![42u64; 1000];
    let closure = || data[7];
    let callback = bind(&closure).unwrap();
    apply(callback.as_fn());
    data
}

fn captured_variable_read_early() -> u64 {
    let mut calls = 0;
    let count = by_mut(|| {
        calls += 1;
        calls
    });
    let callback = bind(&count).unwrap();
    apply(callback.as_fn());
    calls
}

/// The same programs with the guard dropped first. The compiler accepts them.
fn dropped_first() -> Vec<u64> {
    let data = vec![42u64; 1000];
    let closure = || data[7];
    let callback = bind(&closure).unwrap();
    apply(callback.as_fn());
    let _option = Some(bind(&closure).unwrap());
    let _vector = vec![bind(&closure).unwrap()];
    let _owner = Owner { _callback: bind(&closure).unwrap() };
    let late;
    late = bind(&closure).unwrap();
    apply(late.as_fn());
    drop((late, callback, _option, _vector, _owner));
    data
}

/// A reference among the arguments may refer to a variable that the guard outlives.
fn argument_dropped_before_the_guard() {
    let closure = |x: &u64| *x;
    let callback = bind(&closure).unwrap();
    let argument = 42;
    callback.call((&argument,));
}

fn main() {
    declared_before_the_closure();
    outside_the_scope_of_the_closure();
    in_an_option();
    in_a_vector();
    in_a_struct();
    captured_variable_moved_early();
    captured_variable_read_early();
    dropped_first();
    argument_dropped_before_the_guard();
}
