//! `statictramp_bind` and `statictramp_rebind`: a context for functions that do not use static chains.
//!
//! The chain of a bound trampoline is the address of its slot's extra words, {context, callee}; its stub enters an
//! adapter, which loads both from there. The adapter shows how the trampoline was bound.

use crate::arch;
use crate::bound::{bound, number};
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address};
use crate::{bind_first, raw};
use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::Ordering::Relaxed;
use statictramp::Lookup;
use statictramp::runtime::extra;

/// Makes a trampoline for an ordinary C function: at each call, integer-argument register `position` is overwritten
/// with `context`. The caller's argument in that register is lost, so callee and caller have the same parameters: for
/// `int f(void *context, int x)` with position 0 the caller's pointer is `int (*)(void *, int)`, and it may pass any
/// first argument. For callers without that parameter use statictramp_bind_first.
///
/// Registers are counted from 0, not parameters. In general floating-point parameters take none, and a struct passed in
/// registers takes one for each half that is not floating-point. A result returned in memory takes the first, for its
/// hidden pointer (not on AArch64). The manual page statictramp_registers(3) has the rules for each processor. A
/// register after those that the caller uses is allowed: then nothing is lost, and the callee has one parameter more
/// than the caller passes. But on i386, where all arguments are on the stack, words of the stack are counted, and
/// `position` must be that of a word that the caller passes: any other word is the caller's own memory.
///
/// Returns NULL and sets errno to EINVAL if callee is NULL or the register does not exist, to ENOMEM if all slots are
/// in use. For the rest see statictramp_alloc.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_bind(
    callee: StatictrampFn,
    context: *mut c_void,
    position: c_uint,
) -> StatictrampFn {
    let Some(&adapter) = arch::ADAPTERS.get(position as usize) else {
        return fail(EINVAL, None);
    };
    bound(address(callee), context, adapter as *const ())
}

/// Gives a live trampoline of statictramp_bind, statictramp_bind_first or statictramp_bind_raw a new context, for
/// example if an object moves and its function pointer must remain valid. No call through the trampoline may be in
/// progress.
///
/// Returns 0. Returns -1 and sets errno to EINVAL for any other pointer.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_rebind(trampoline: StatictrampFn, context: *mut c_void) -> c_int {
    match statictramp::lookup(address(trampoline)) {
        Ok(Lookup::Live { chain, entry, .. }) if is_adapter(entry) => {
            // SAFETY: only `bound` makes trampolines that enter an adapter, and their chain is such an address, which
            // stays valid. Relaxed: the next caller of the trampoline must be synchronized with this function.
            unsafe { (*chain.cast::<extra::SlotExtra>()).first.store(context.cast(), Relaxed) };
            0
        }
        _ => fail(EINVAL, -1),
    }
}

/// The chain as it was passed in; for a bound trampoline, recognized by its entry, the context.
pub(crate) fn chain_or_context(entry: *const (), chain: *mut ()) -> *mut () {
    if is_adapter(entry) {
        // SAFETY: as in `statictramp_rebind`.
        unsafe { (*chain.cast::<extra::SlotExtra>()).first.load(Relaxed) }
    } else {
        chain
    }
}

fn is_adapter(entry: *const ()) -> bool {
    number(arch::ADAPTERS, entry).or_else(|| bind_first::number(entry)).is_some() || raw::is_entry(entry)
}

/// How a trampoline was bound, derived from its entry: 0 and above, the position; -1, not bound; -2 and below, bound by
/// statictramp_bind_first with this number of registers used, or by statictramp_bind_raw.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) fn position(entry: *const ()) -> c_int {
    const RAW: c_int = -64;
    match (number(arch::ADAPTERS, entry), bind_first::number(entry)) {
        (Some(number), _) => number as c_int,
        (_, Some(number)) => -2 - number as c_int,
        _ if raw::is_entry(entry) => RAW,
        _ => -1,
    }
}
