//! What flang's code calls: the interface of its internal-procedure document and, from
//! flang 23 on, of `-fsafe-trampoline`, which differs in spelling only.
//!
//! Compiled code cannot handle a failure, so each ends the program with one line.

use crate::arch;
use crate::compiled;
use core::ffi::c_void;
use statictramp::line::{Line, abort};
use statictramp::{FreeError, NotOurs};

/// Makes a trampoline and returns its handle. `scratch` may be null; it is used only where no
/// slot is left and the library was built for it.
#[unsafe(no_mangle)]
extern "C" fn _FortranATrampolineInit(
    scratch: *mut c_void,
    callee: *const (),
    chain: *mut c_void,
) -> *const () {
    compiled::make(callee, chain, arch::stack_pointer())
        .unwrap_or_else(|| last_resort(scratch, callee, chain))
}

/// Where scratch memory may be used, the caller's own; else the end.
#[cold]
#[inline(never)]
fn last_resort(scratch: *mut c_void, callee: *const (), chain: *mut c_void) -> *const () {
    #[cfg(feature = "scratch")]
    // SAFETY: compiled code passes memory of the size that the compiler's own trampolines
    // have, and keeps it until it frees the handle.
    if let Some(code) = unsafe { statictramp::scratch::write(scratch.cast(), callee, chain.cast()) } {
        return code.wrapping_byte_add(IN_SCRATCH);
    }
    let _ = (scratch, callee, chain);
    compiled::full()
}

/// Set in the handle of a trampoline in scratch memory. A stub's address is even.
#[cfg(feature = "scratch")]
const IN_SCRATCH: usize = 1;

/// The address to call, given the handle: they are the same, but for a mark.
#[unsafe(no_mangle)]
extern "C" fn _FortranATrampolineAdjust(handle: *const ()) -> *const () {
    #[cfg(feature = "scratch")]
    return handle.map_addr(|handle| handle & !IN_SCRATCH);
    #[cfg(not(feature = "scratch"))]
    handle
}

/// Frees the trampoline of a handle. NULL is nothing to free.
#[unsafe(no_mangle)]
unsafe extern "C" fn _FortranATrampolineFree(handle: *const ()) {
    if handle.is_null() {
        return;
    }
    #[cfg(feature = "scratch")]
    if handle.addr() & IN_SCRATCH != 0 {
        // SAFETY: `last_resort` made the handle, and the host's memory is still there.
        return unsafe { statictramp::scratch::end(_FortranATrampolineAdjust(handle).cast_mut()) };
    }
    // SAFETY: compiled code frees each handle once, at the exit of the host that made it.
    if let Err(why) = unsafe { compiled::free(handle) } {
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

/// The address of the one trampoline of a callee and a chain, made if there is none: for code
/// that the pass plugin for flang has rewritten, where the end of the host cannot be seen from
/// the code. It is freed with the host's own, or taken back when the table is full and the
/// host is gone.
#[unsafe(no_mangle)]
extern "C" fn statictramp_share(callee: *const (), chain: *mut c_void) -> *const () {
    compiled::make_or_find(callee, chain.cast()).unwrap_or_else(|| compiled::full())
}

#[cold]
fn cannot_free(handle: *const (), why: FreeError) -> ! {
    if matches!(why, FreeError::NotOurs(NotOurs::Foreign)) && statictramp::copies::report(handle) {
        abort()
    }
    let mut line = Line::new("cannot free ");
    line.address(handle);
    line.text(match why {
        FreeError::Dead => ": this trampoline is dead already",
        _ => ": not a trampoline of this copy of the library",
    });
    line.print();
    abort()
}
