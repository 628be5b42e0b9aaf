//! What flang's code calls: the interface of its internal-procedure document and, from
//! flang 23 on, of `-fsafe-trampoline`, which differs in spelling only.
//!
//! Compiled code cannot handle a failure, so each ends the program with one line.

use crate::arch;
use core::ffi::c_void;
use statictramp::FreeError;
use statictramp::runtime::message::{Message, abort};

/// Makes a trampoline and returns its handle. `scratch` may be null; it is used only where no
/// slot is left and the library was built for it.
#[unsafe(no_mangle)]
extern "C" fn _FortranATrampolineInit(
    scratch: *mut c_void,
    callee: *const (),
    chain: *mut c_void,
) -> *const () {
    super::make(scratch, callee, chain, arch::stack_pointer(), last_resort)
}

/// Where scratch memory may be used, the caller's own; else the end.
#[cold]
#[inline(never)]
fn last_resort(scratch: *mut c_void, callee: *const (), chain: *mut c_void) -> *const () {
    #[cfg(all(feature = "scratch", target_os = "linux"))]
    // SAFETY: compiled code passes memory of the size that the compiler's own trampolines
    // have, and keeps it until it frees the handle.
    if let Some(code) = unsafe { statictramp::runtime::scratch::write(scratch.cast(), callee, chain.cast()) }
    {
        return code.wrapping_byte_add(IN_SCRATCH);
    }
    let _ = (scratch, callee, chain);
    super::full()
}

/// Set in the handle of a trampoline in scratch memory. A stub's address is even.
#[cfg(all(feature = "scratch", target_os = "linux"))]
const IN_SCRATCH: usize = 1;

/// The address to call, given the handle. They differ only where the handle is marked as in scratch memory.
#[unsafe(no_mangle)]
extern "C" fn _FortranATrampolineAdjust(handle: *const ()) -> *const () {
    adjust(handle)
}

#[inline(always)]
fn adjust(handle: *const ()) -> *const () {
    #[cfg(all(feature = "scratch", target_os = "linux"))]
    return handle.map_addr(|handle| handle & !IN_SCRATCH);
    #[cfg(not(all(feature = "scratch", target_os = "linux")))]
    handle
}

/// Frees the trampoline of a handle. NULL is nothing to free.
#[unsafe(no_mangle)]
unsafe extern "C" fn _FortranATrampolineFree(handle: *const ()) {
    // SAFETY: compiled code frees each handle once, at the exit of the host that made it.
    unsafe { free(handle) }
}

/// # Safety
/// As for [`statictramp::free`], but null may be freed.
#[inline(always)]
unsafe fn free(handle: *const ()) {
    // SAFETY: the caller's promise; null and what is in scratch memory are in no slot.
    if !unsafe { super::free_fast(handle) } {
        free_slow(handle)
    }
}

/// Not inlined, so that the usual case is a small function that saves no registers.
#[cold]
#[inline(never)]
fn free_slow(handle: *const ()) {
    if handle.is_null() {
        return;
    }
    #[cfg(all(feature = "scratch", target_os = "linux"))]
    if handle.addr() & IN_SCRATCH != 0 {
        // SAFETY: `last_resort` made the handle, and the host's memory is still there.
        return unsafe { statictramp::runtime::scratch::end(adjust(handle).cast_mut()) };
    }
    if let Err(why) = super::free_cold(handle) {
        cannot_free(handle, why)
    }
}

// The three functions above by their other spelling. None calls its counterpart: in the shared library a call of an exported
// function goes through a table of addresses (PLT).

#[unsafe(no_mangle)]
extern "C" fn _FortranAInitTrampoline(
    scratch: *mut c_void,
    callee: *const (),
    chain: *mut c_void,
) -> *const () {
    super::make(scratch, callee, chain, arch::stack_pointer(), last_resort)
}

#[unsafe(no_mangle)]
extern "C" fn _FortranAAdjustTrampoline(handle: *const ()) -> *const () {
    adjust(handle)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _FortranAFreeTrampoline(handle: *const ()) {
    // SAFETY: compiled code frees each handle once, at the exit of the host that made it.
    unsafe { free(handle) }
}

/// The address of the one trampoline of a callee and a chain, made if there is none: for code
/// that the pass plugin for flang has rewritten, where the end of the host cannot be seen from
/// the code. It is freed with the host's own, or taken back when the table is full and the
/// host is gone.
#[unsafe(no_mangle)]
extern "C" fn statictramp_share(callee: *const (), chain: *mut c_void) -> *const () {
    super::make_or_find(callee, chain.cast()).unwrap_or_else(|| super::full())
}

#[cold]
fn cannot_free(handle: *const (), why: FreeError) -> ! {
    #[cfg(any(target_os = "linux", windows))]
    if matches!(why, FreeError::Lookup(statictramp::LookupError::Foreign))
        && statictramp::runtime::other_copy::report(handle)
    {
        abort()
    }
    let mut message = Message::new("cannot free ");
    message.address(handle);
    message.text(match why {
        FreeError::Dead => ": this trampoline is dead already",
        _ => ": not a trampoline of this copy of the library",
    });
    message.print();
    abort()
}
