//! The guard of `memref::bind` must be dropped before its closure, even if it is not used after the closure's end.

use statictramp_interop::memref::{Function, bind};

struct Owner<'f, F> {
    _function: Function<'f, F, (i64,)>,
}

fn apply(f: *const ()) -> i64 {
    unsafe { core::mem::transmute::<*const (), unsafe extern "C" fn(i64) -> i64>(f)(7) }
}

fn declared_before_the_closure() {
    let function;
    let data = vec![42i64; 1000];
    let closure = |at: i64| data[at as usize];
    function = bind(&closure).unwrap();
    apply(function.as_ptr());
}

fn in_an_option() {
    let mut function = None;
    let closure = |at: i64| at;
    apply(function.insert(bind(&closure).unwrap()).as_ptr());
}

fn in_a_struct() {
    let _owner;
    let closure = |at: i64| at;
    _owner = Owner { _function: bind(&closure).unwrap() };
}

/// The same programs with the guard dropped first. The compiler accepts them.
fn dropped_first() {
    let data = vec![42i64; 1000];
    let closure = |at: i64| data[at as usize];
    let function = bind(&closure).unwrap();
    apply(function.as_ptr());
    let _option = Some(bind(&closure).unwrap());
    let _owner = Owner { _function: bind(&closure).unwrap() };
}

/// A function that was converted to an address does not borrow its closure.
fn converted_to_an_address() {
    let f;
    {
        let closure = |at: i64| at;
        f = bind(&closure).unwrap().into_raw();
        apply(f);
    }
    unsafe { statictramp::free(f) }.unwrap();
}

fn main() {
    declared_before_the_closure();
    in_an_option();
    in_a_struct();
    dropped_first();
    converted_to_an_address();
}
