//! Trampolines for code that a compiler made, which cannot handle a failure: each ends the
//! program with one line.

use core::ffi::c_void;
use statictramp::line::{Line, abort, fatal};
use statictramp::{AllocError, Trampoline};

/// The address of a new trampoline; `null_callee` is what to say of a null one.
#[inline(always)]
pub(crate) fn make(callee: *const (), chain: *mut c_void, null_callee: &'static str) -> *const () {
    match Trampoline::again(callee, |_| (callee, chain.cast())) {
        Some(trampoline) => trampoline.into_raw(),
        None => make_cold(callee, chain, null_callee),
    }
}

/// Apart, so that the usual case is a small function that saves no registers.
#[cold]
#[inline(never)]
fn make_cold(callee: *const (), chain: *mut c_void, null_callee: &'static str) -> *const () {
    match Trampoline::new(callee, chain.cast()) {
        Ok(trampoline) => trampoline.into_raw(),
        Err(AllocError::NullCallee) => fatal(null_callee),
        Err(_) => full(),
    }
}

#[cold]
fn full() -> ! {
    let mut line = Line::new("all ");
    line.decimal(statictramp::capacity());
    line.text(" trampolines are in use; build the library with a larger STATICTRAMP_SLOTS").print();
    abort()
}
