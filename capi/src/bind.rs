//! `statictramp_bind`: a context in an ordinary argument register, for functions that know
//! nothing of static chains.
//!
//! The chain of a bound trampoline is the address of its slot's side, {context, callee}; its
//! stub enters one of the adapters below, which loads one argument register from there and
//! jumps on.

use crate::arch;
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address, function, function_or_errno};
use crate::make_room;
use core::ffi::{c_uint, c_void};
use core::sync::atomic::Ordering::Relaxed;
use statictramp::{Trampoline, side};

/// Makes a trampoline for an ordinary C function: at each call, integer-argument register `position` is
/// overwritten with `context`. Registers are counted from 0, not parameters: floating-point parameters take
/// none; a result returned in memory takes the first, for its hidden pointer (not on AArch64); a struct passed
/// in registers takes one for each half that is not floating-point. So for `int f(void *context, int x)` the
/// position is 0, and the caller's `int (*)(void *, int)` passes anything as first argument.
///
/// Returns NULL and sets errno to EINVAL if callee is NULL or there is no such register (x86-64: 0 to 5,
/// AArch64 and RISC-V: 0 to 7, Arm: 0 to 3), to ENOMEM if all slots are in use. For the rest see statictramp_alloc.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_bind(
    callee: StatictrampFn,
    context: *mut c_void,
    position: c_uint,
) -> StatictrampFn {
    let Some(&adapter) = arch::ADAPTERS.get(position as usize) else {
        return fail(EINVAL, None);
    };
    let callee = address(callee);
    let fill = |slot| {
        let pair = side::of(slot);
        // Relaxed: whoever may call the trampoline got its address after this.
        pair.first.store(context.cast(), Relaxed);
        pair.second.store(callee.cast_mut(), Relaxed);
        (adapter as *const (), core::ptr::from_ref(pair).cast_mut().cast())
    };
    match Trampoline::again(callee, fill) {
        Some(trampoline) => function(trampoline.into_raw()),
        None => function_or_errno(Trampoline::making_room(callee, fill, make_room)),
    }
}

/// What was given as chain; of a bound trampoline, told by what its stub enters, the context.
pub(crate) fn chain_or_context(entry: *const (), chain: *mut ()) -> *mut () {
    match number(entry) {
        // SAFETY: only `statictramp_bind` makes trampolines that enter an adapter, and it
        // gives them the address of a side, which stays.
        Some(_) => unsafe { (*chain.cast::<side::Side>()).first.load(Relaxed) },
        None => chain,
    }
}

/// The position of a bound trampoline, told by what its stub enters; -1 of another.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) fn position(entry: *const ()) -> core::ffi::c_int {
    number(entry).map_or(-1, |number| number as core::ffi::c_int)
}

fn number(entry: *const ()) -> Option<usize> {
    arch::ADAPTERS.iter().position(|&adapter| adapter as *const () == entry)
}
