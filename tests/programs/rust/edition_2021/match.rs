//! A temporary guard in the subject of a `match`.
//! Edition 2021 drops the guard after the closure. With `--cfg remedy`, the guard is dropped first.

use statictramp::{AllocError, bind};

unsafe extern "C" fn apply(f: unsafe extern "C" fn() -> u64) -> u64 {
    unsafe { f() }
}

#[cfg(not(remedy))]
fn answer() -> Result<u64, AllocError> {
    let closure = || 42;
    match unsafe { apply(bind(&closure)?.as_fn()) } {
        0 => Ok(1),
        result => Ok(result),
    }
}

#[cfg(remedy)]
fn answer() -> Result<u64, AllocError> {
    let closure = || 42;
    let callback = bind(&closure)?;
    match unsafe { apply(callback.as_fn()) } {
        0 => Ok(1),
        result => Ok(result),
    }
}

fn main() {
    assert_eq!(answer().unwrap(), 42);
}
