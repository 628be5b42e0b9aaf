//! A temporary guard in the last expression of a block.
//! Edition 2021 drops the guard after the closure. With `--cfg remedy`, the guard is dropped first.

use statictramp::{AllocError, bind};

unsafe extern "C" fn apply(f: unsafe extern "C" fn() -> u64) -> u64 {
    unsafe { f() }
}

#[cfg(not(remedy))]
fn answer() -> Result<u64, AllocError> {
    let closure = || 42;
    Ok(unsafe { apply(bind(&closure)?.as_fn()) })
}

#[cfg(remedy)]
fn answer() -> Result<u64, AllocError> {
    let closure = || 42;
    let result = unsafe { apply(bind(&closure)?.as_fn()) };
    Ok(result)
}

fn main() {
    assert_eq!(answer().unwrap(), 42);
}
