//! A temporary guard in the subject of an `if let`.
//! Edition 2021 drops the guard after the closure. With `--cfg remedy`, the guard is dropped first.

use statictramp::{AllocError, bind};

unsafe extern "C" fn apply(f: unsafe extern "C" fn() -> u64) -> Option<u64> {
    unsafe { Some(f()) }
}

#[cfg(not(remedy))]
fn answer() -> Result<u64, AllocError> {
    let closure = || 42;
    if let Some(result) = unsafe { apply(bind(&closure)?.as_fn()) } { Ok(result) } else { Ok(0) }
}

#[cfg(remedy)]
fn answer() -> Result<u64, AllocError> {
    let closure = || 42;
    let callback = bind(&closure)?;
    if let Some(result) = unsafe { apply(callback.as_fn()) } { Ok(result) } else { Ok(0) }
}

fn main() {
    assert_eq!(answer().unwrap(), 42);
}
