//! The functions in `statictramp.h` that bind no argument. The header contains the comments on the public items in this
//! file.

use crate::bind;
use crate::errno::{EINVAL, ENOMEM, fail};
use crate::function::{StatictrampFn, address, function, function_or_errno};
use crate::reclaim::make_room;
use core::ffi::{c_int, c_uint, c_void};
use core::ptr::null_mut;
use statictramp::{FreeError, Lookup, Trampoline, for_capi};

/// The handler for a call through a freed trampoline, which runs on the caller's thread and stack. It receives the slot
/// number ((size_t)-1 if unknown) and the former callee (NULL if unknown). If it returns, the process aborts; without an
/// operating system, the processor traps.
pub type StatictrampDeadCallHandler = Option<extern "C" fn(slot: usize, late_callee: StatictrampFn)>;

/// Makes a trampoline. A call through the trampoline jumps to `callee` with `chain` in the static-chain register and
/// all arguments unchanged. The static-chain register is r10 on x86-64, and both x15 and x18 on AArch64 (x15 and x16 on
/// macOS); the manual page statictramp_registers(3) lists the register for each processor. This function is for callees
/// that expect their context in that register, such as compiled nested functions. For a C function, use
/// statictramp_bind_types, statictramp_bind_first or statictramp_bind.
///
/// Returns NULL and sets errno to EINVAL if `callee` is NULL, or to ENOMEM if all slots are in use and the table cannot
/// grow. The trampoline is valid until it is passed to statictramp_free. A later call prints a message and aborts (see
/// statictramp_on_dead_call), unless the slot has been reused. A freed slot is reused for other callees only after
/// every slot has been used.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_alloc(callee: StatictrampFn, chain: *mut c_void) -> StatictrampFn {
    let callee = address(callee);
    function(Trampoline::make_fast(callee, chain.cast(), alloc_slow))
}

/// Makes a trampoline if the fast path cannot. This function is not inlined, so that the fast path stays small and
/// saves no registers.
#[cold]
#[inline(never)]
fn alloc_slow(callee: *const (), chain: *mut ()) -> *const () {
    address(function_or_errno(Trampoline::with_reclaim(callee, |_| (callee, chain), make_room)))
}

/// Frees a trampoline made by any function declared in this library's headers. No call through the trampoline may be in
/// progress, and none may follow. Until the slot is reused, a later call prints a message that names the slot and the
/// former callee, and aborts (see statictramp_on_dead_call). A freed slot is reused for other callees only after every
/// slot has been used.
///
/// Returns 0 on success. Returns -1, sets errno to EINVAL and changes nothing if the pointer is NULL, is not a
/// trampoline of this copy of the library, or is the address of a stub whose slot is dead or unused. If the slot has
/// been reused, a second free frees the new trampoline; the library cannot detect this error. On Linux and Windows,
/// also prints a message on standard error if the pointer is a trampoline of another copy of the library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_free(trampoline: StatictrampFn) -> c_int {
    // SAFETY: by the contract above, the caller meets the requirements of `free`.
    if !cfg!(target_os = "none") && unsafe { for_capi::free_fast(address(trampoline)) } {
        return 0;
    }
    free_grown(trampoline)
}

/// Frees a trampoline whose slot was added by growth, or calls `free_any`. This function is not inlined, for the same
/// reason as `alloc_slow`. The caller must uphold the safety contract of [`statictramp::free`].
#[cfg_attr(target_os = "none", inline(always))]
#[cfg_attr(not(target_os = "none"), inline(never))]
fn free_grown(trampoline: StatictrampFn) -> c_int {
    // SAFETY: the caller upholds the safety contract.
    if unsafe { for_capi::free_fast_in_row(address(trampoline)) } { 0 } else { free_any(trampoline) }
}

/// Frees any trampoline, or reports the error. This function is not inlined, for the same reason as `alloc_slow`. The
/// caller must uphold the safety contract of [`statictramp::free`].
#[cfg_attr(target_os = "none", inline(always))]
#[cfg_attr(not(target_os = "none"), inline(never))]
fn free_any(trampoline: StatictrampFn) -> c_int {
    // SAFETY: the caller upholds the safety contract.
    match unsafe { for_capi::free_slow(address(trampoline)) } {
        Ok(()) => 0,
        Err(why) => cannot_free(trampoline, why),
    }
}

#[cold]
#[inline(never)]
fn cannot_free(trampoline: StatictrampFn, why: FreeError) -> c_int {
    #[cfg(any(target_os = "linux", windows))]
    if matches!(why, FreeError::Lookup(statictramp::LookupError::Foreign)) {
        for_capi::other_copy::report(address(trampoline));
    }
    let _ = (trampoline, why);
    fail(EINVAL, -1)
}

/// Reports whether a pointer is a trampoline and, if so, its callee and chain. Any pointer may be passed.
///
/// Returns 1 and stores the callee and the chain if the pointer is a live trampoline (for a bound trampoline, the context
/// is stored as the chain; for a raw trampoline, the handler is stored as the callee). Returns 0 and stores the former
/// callee (NULL if there is none) and a NULL chain if the pointer is the address of a stub whose slot is dead or unused.
/// Returns -1 and stores nothing if the pointer is not a trampoline of this copy of the library. If `callee` or `chain`
/// is NULL, that value is not stored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_lookup(
    trampoline: StatictrampFn,
    callee: *mut StatictrampFn,
    chain: *mut *mut c_void,
) -> c_int {
    let (found_callee, found_chain, answer) = match statictramp::lookup(address(trampoline)) {
        Ok(Lookup::Live { callee, chain, entry, .. }) => {
            // SAFETY: `lookup` has found the entry and the chain of this trampoline.
            (callee, unsafe { bind::chain_or_context(entry, chain) }, 1)
        }
        Ok(Lookup::Dead { callee, .. }) => (callee, null_mut(), 0),
        Ok(_) => (core::ptr::null(), null_mut(), 0),
        Err(_) => return -1,
    };
    if !callee.is_null() {
        // SAFETY: the contract in the doc comment requires that the pointer is null or writable.
        unsafe { callee.write(function(found_callee)) };
    }
    if !chain.is_null() {
        // SAFETY: as above.
        unsafe { chain.write(found_chain.cast()) };
    }
    answer
}

/// Counts the live trampolines one by one, including those made by other code. The result is exact only if no
/// trampoline is made or freed concurrently.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_live() -> usize {
    statictramp::live()
}

/// Reports the number of trampolines that can be live at the same time without further growth. Slots added by growth
/// are included; they remain until the process ends. A full table doubles in size if it can grow. On Linux and Windows,
/// it can grow only if the file from which this code was loaded can be mapped again and still contains the running
/// code. On Linux, the table therefore cannot grow if /proc is unavailable, or if the code is in a shared library that
/// was deleted or replaced, or whose path ends in " (deleted)" or is longer than 1,023 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_capacity() -> usize {
    statictramp::capacity()
}

/// Sets the maximum number of slots, overriding the environment variable STATICTRAMP_LIMIT. The table never has more
/// than 1,048,576 slots, and never shrinks. If the limit cuts a doubling short, the missing slots are never added, even
/// if the limit is raised later, but still count towards the limit.
///
/// If this function has not been called by the time the table first grows, the limit is read from STATICTRAMP_LIMIT
/// (with getenv). No other thread may change the environment (setenv, putenv) at that moment, so a multithreaded
/// program that changes its environment must call this function first. Set-user-ID and set-group-ID programs, and those
/// with file capabilities, ignore the variable.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_set_limit(slots: usize) {
    statictramp::set_limit(slots);
}

/// Grows the table until it can hold at least `slots` live trampolines in total, including those made by other code.
/// Call this function, for example, before installing a system-call filter that prevents growth. It also allocates
/// memory for the plans that statictramp_bind_types and statictramp_bind_types_last use to move arguments on the stack:
/// enough for at least 25 different signatures.
///
/// Returns 0 if the table now has at least `slots` slots, whether or not the table had to grow. Returns -1 and sets
/// errno to ENOMEM if `slots` exceeds the limit (see statictramp_set_limit), if memory runs out, or if the table cannot
/// grow that far. In the last two cases, the table may have grown by fewer slots than requested.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_reserve(slots: usize) -> c_int {
    #[cfg(any(unix, windows))]
    if !statictramp_raw::for_capi::plans::reserve() {
        return fail(ENOMEM, -1);
    }
    match statictramp::reserve(slots) {
        Ok(()) => 0,
        Err(_) => fail(ENOMEM, -1),
    }
}

/// Sets the handler for calls through freed trampolines. NULL restores the default, which prints a one-line message on
/// standard error and aborts. The message begins with "statictramp: " and names the slot and the former callee if they
/// are known.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_on_dead_call(handler: StatictrampDeadCallHandler) {
    // SAFETY: the two function types differ only in the Rust type of the former callee, which is an address or null in
    // both.
    statictramp::on_dead_call(unsafe {
        core::mem::transmute::<StatictrampDeadCallHandler, Option<statictramp::DeadCallHandler>>(handler)
    });
}

/// A handler for statictramp_on_dead_call_from. Unlike a statictramp_dead_call_handler, it also receives the call's
/// return address, which is NULL if there is an operating system.
pub type StatictrampDeadCallFromHandler =
    Option<extern "C" fn(slot: usize, late_callee: StatictrampFn, return_address: *const c_void)>;

/// Sets a handler that receives the return address of a call through a freed trampoline, so that code on a board can
/// report the caller. A handler installed with statictramp_on_dead_call runs afterwards. NULL removes the handler.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_on_dead_call_from(handler: StatictrampDeadCallFromHandler) {
    // SAFETY: as in `statictramp_on_dead_call`, and the return address has the same representation in both types.
    statictramp::on_dead_call_from(unsafe {
        core::mem::transmute::<StatictrampDeadCallFromHandler, Option<statictramp::DeadCallFromHandler>>(
            handler,
        )
    });
}

/// Frees all trampolines, even if their slots have lost their contents, as happens when a RAM bank is powered down.
/// Later calls through them are handled like calls after statictramp_free. While this function runs, no other thread or
/// interrupt handler may call, make, change or free a trampoline.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_free_all() {
    // SAFETY: by the contract above, the caller meets the requirements.
    unsafe { statictramp::free_all() }
}

/// Reports the version of the running library, encoded like STATICTRAMP_VERSION: major * 10000 + minor * 100 + patch.
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
