//! The guard of `raw::bind` must be dropped before its closure, even if it is not used after the closure's end.

use statictramp_raw::{self as raw, Call, Callback};

struct Owner<'f, F> {
    _callback: Callback<'f, F>,
}

fn apply(f: unsafe extern "C" fn()) {
    unsafe { f() }
}

fn declared_before_the_closure() {
    let callback;
    let data = vec![42u64; 1000];
    let closure = |_: &mut Call<'_>| drop(data[7]);
    callback = raw::bind(&closure).unwrap();
    apply(callback.as_fn());
}

fn in_an_option() {
    let mut callback = None;
    let closure = |_: &mut Call<'_>| {};
    apply(callback.insert(raw::bind(&closure).unwrap()).as_fn());
}

fn in_a_struct() {
    let _owner;
    let closure = |_: &mut Call<'_>| {};
    _owner = Owner { _callback: raw::bind(&closure).unwrap() };
}

/// The same programs with the guard dropped first. The compiler accepts them.
fn dropped_first() {
    let data = vec![42u64; 1000];
    let closure = |_: &mut Call<'_>| drop(data[7]);
    let callback = raw::bind(&closure).unwrap();
    apply(callback.as_fn());
    let _option = Some(raw::bind(&closure).unwrap());
    let _owner = Owner { _callback: raw::bind(&closure).unwrap() };
}

fn main() {
    declared_before_the_closure();
    in_an_option();
    in_a_struct();
    dropped_first();
}
