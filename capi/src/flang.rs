//! What flang's code calls: the interface of its internal-procedure document and, from
//! flang 23 on, of `-fsafe-trampoline`, which differs in spelling only.
//!
//! Compiled code cannot handle a failure, so each ends the program with one line.

use crate::compiled;
use core::ffi::c_void;
use statictramp::FreeError;
use statictramp::line::{Line, abort};

/// Makes a trampoline and returns its handle. `_scratch` is not used.
#[unsafe(no_mangle)]
extern "C" fn _FortranATrampolineInit(
    _scratch: *mut c_void,
    callee: *const (),
    chain: *mut c_void,
) -> *const () {
    compiled::make(callee, chain, "an internal procedure with a null address cannot have a trampoline")
}

/// The address to call, given the handle: they are the same.
#[unsafe(no_mangle)]
extern "C" fn _FortranATrampolineAdjust(handle: *const ()) -> *const () {
    handle
}

/// Frees the trampoline of a handle. NULL is nothing to free.
#[unsafe(no_mangle)]
unsafe extern "C" fn _FortranATrampolineFree(handle: *const ()) {
    if handle.is_null() {
        return;
    }
    // SAFETY: compiled code frees each handle once, at the exit of the host that made it.
    if let Err(why) = unsafe { statictramp::free(handle) } {
        cannot_free(handle, why)
    }
}

#[unsafe(no_mangle)]
extern "C" fn _FortranAInitTrampoline(
    scratch: *mut c_void,
    callee: *const (),
    chain: *mut c_void,
) -> *const () {
    _FortranATrampolineInit(scratch, callee, chain)
}

#[unsafe(no_mangle)]
extern "C" fn _FortranAAdjustTrampoline(handle: *const ()) -> *const () {
    _FortranATrampolineAdjust(handle)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _FortranAFreeTrampoline(handle: *const ()) {
    // SAFETY: the same function under another name.
    unsafe { _FortranATrampolineFree(handle) }
}

#[cold]
fn cannot_free(handle: *const (), why: FreeError) -> ! {
    let mut line = Line::new("cannot free ");
    line.address(handle);
    line.text(match why {
        FreeError::Dead => ": this trampoline is dead already",
        _ => ": not a trampoline of this copy of the library",
    });
    line.print();
    abort()
}
