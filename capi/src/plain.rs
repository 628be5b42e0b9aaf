//! The plain functions of `statictramp.h`. Their comments are the header's.

use crate::bind;
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address, function, function_or_errno};
use crate::reclaim::make_room;
use core::ffi::{c_int, c_uint, c_void};
use core::ptr::null_mut;
use statictramp::{FreeError, Lookup, Trampoline};

/// Called for a call through a freed trampoline: the number of its slot ((size_t)-1 if it could not be told)
/// and the callee it had (or NULL). It runs on the thread and the stack of the caller. When it returns, the
/// process is aborted.
pub type StatictrampDeadCallHandler = Option<extern "C" fn(slot: usize, late_callee: StatictrampFn)>;

/// Makes a trampoline: calling the result enters `callee` with `chain` in the static-chain register (x86-64: r10; AArch64:
/// x15 and x18, on macOS x15 and x16; RISC-V: t2; LoongArch: t8; PowerPC: r11; Arm: r12; s390x: r0; i386: ecx) and every argument as the caller
/// passed it. This is for callees that expect their context there, as compilers make of nested functions; a C function gets
/// its context by statictramp_bind.
///
/// Returns NULL and sets errno to EINVAL if callee is NULL, to ENOMEM if all slots are in use and there can be no
/// more. The result lives until statictramp_free. A program that calls it later is told so and aborted, until the slot is
/// used again; a freed slot serves other callees only when no slot is left that was never used.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_alloc(callee: StatictrampFn, chain: *mut c_void) -> StatictrampFn {
    let callee = address(callee);
    match Trampoline::new_fast(callee, |_| (callee, chain.cast())) {
        Some(trampoline) => function(trampoline.into_raw()),
        None => alloc_cold(callee, chain),
    }
}

/// Not inlined, so that the usual case is a small function that saves no registers.
#[cold]
#[inline(never)]
fn alloc_cold(callee: *const (), chain: *mut c_void) -> StatictrampFn {
    function_or_errno(Trampoline::with_reclaim(callee, |_| (callee, chain.cast()), make_room))
}

/// Frees a trampoline that a function of this library's headers has made. No call through it may be under way
/// or come later.
///
/// Returns 0. Returns -1, sets errno to EINVAL and changes nothing if the pointer is NULL, not a
/// trampoline of this copy of the library, one that is dead already, or one that was never made. If the
/// slot was used again since, a second free ends the new trampoline: that cannot be told. If the pointer is a
/// trampoline of another copy of the library, a line on standard error says so besides.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_free(trampoline: StatictrampFn) -> c_int {
    // SAFETY: the comment above demands of the caller what `free` demands.
    match unsafe { statictramp::free(address(trampoline)) } {
        Ok(()) => 0,
        Err(why) => cannot_free(trampoline, why),
    }
}

#[cold]
#[inline(never)]
fn cannot_free(trampoline: StatictrampFn, why: FreeError) -> c_int {
    #[cfg(any(target_os = "linux", windows))]
    if matches!(why, FreeError::Lookup(statictramp::LookupError::Foreign)) {
        statictramp::runtime::other_copy::report(address(trampoline));
    }
    let _ = (trampoline, why);
    fail(EINVAL, -1)
}

/// Looks up any pointer whatever. Returns
///   1 if it is a live trampoline: stores its callee and its chain (of a bound one, the context);
///   0 if it is a dead one, or one that was never made: stores the callee it had, or NULL, and a NULL chain;
///  -1 if it is not a trampoline of this copy of the library: stores nothing.
/// `callee` and `chain` may each be NULL: then that is not stored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_lookup(
    trampoline: StatictrampFn,
    callee: *mut StatictrampFn,
    chain: *mut *mut c_void,
) -> c_int {
    let (found_callee, found_chain, answer) = match statictramp::lookup(address(trampoline)) {
        Ok(Lookup::Live { callee, chain, entry, .. }) => (callee, bind::chain_or_context(entry, chain), 1),
        Ok(Lookup::Dead { callee }) => (callee, null_mut(), 0),
        Err(_) => return -1,
    };
    if !callee.is_null() {
        // SAFETY: the comment above demands that it be null or writable.
        unsafe { callee.write(function(found_callee)) };
    }
    if !chain.is_null() {
        // SAFETY: as above.
        unsafe { chain.write(found_chain.cast()) };
    }
    answer
}

/// How many trampolines live now, whoever made them. Counted one by one: exact if nobody makes or frees any
/// meanwhile.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_live() -> usize {
    statictramp::live()
}

/// How many trampolines can live at once, now: the static table and what it has grown by. When it is full it
/// doubles, as long as the very file that this code was loaded from can be mapped again (Linux: a shared library
/// that was deleted or replaced cannot, nor one whose path ends in " (deleted)" or has more than 1,023 bytes, nor
/// anything where there is no /proc) and has the code that runs; what was added stays until the process ends.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_capacity() -> usize {
    statictramp::capacity()
}

/// Sets how many slots there may be in all; the table does not shrink. Replaces the variable STATICTRAMP_LIMIT
/// of the environment. 1,048,576 are the most. A limit that is raised when the table has reached it leaves out the
/// slots up to where the last doubling would have ended; they count for it.
///
/// The variable is read when the table grows for the first time, unless this was called before. As with every
/// getenv, no other thread may change the environment (setenv, putenv) at that moment: a program that does so
/// while it has threads calls this first. A program with more rights than who has started it (set-user-ID,
/// set-group-ID, file capabilities) does not read it at all.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_set_limit(slots: usize) {
    statictramp::set_limit(slots);
}

/// Replaces what a call through a freed trampoline does; NULL restores the default: one line on standard
/// error, which starts with "statictramp: " and names the slot and the late callee, and abort.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_on_dead_call(handler: StatictrampDeadCallHandler) {
    // SAFETY: the two function types differ in how they spell an address that may be null.
    statictramp::on_dead_call(unsafe {
        core::mem::transmute::<StatictrampDeadCallHandler, Option<statictramp::DeadCallHandler>>(handler)
    });
}

/// The version of the library, as STATICTRAMP_VERSION is that of the header.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_version() -> c_uint {
    const fn number(digits: &str) -> c_uint {
        match c_uint::from_str_radix(digits, 10) {
            Ok(number) => number,
            Err(_) => panic!("cargo passes a number"),
        }
    }
    const MAJOR: c_uint = number(env!("CARGO_PKG_VERSION_MAJOR"));
    const MINOR: c_uint = number(env!("CARGO_PKG_VERSION_MINOR"));
    const PATCH: c_uint = number(env!("CARGO_PKG_VERSION_PATCH"));
    MAJOR * 10_000 + MINOR * 100 + PATCH
}
