//! `statictramp_bind` and `statictramp_rebind`: a context for functions that know nothing of static chains.
//!
//! The chain of a bound trampoline is the address of its slot's extra words, {context, callee}; its stub enters an
//! adapter, which takes both from there. Which adapter it enters tells how it was bound.

use crate::arch;
use crate::bound::{bound, number};
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address};
use crate::{bind_first, raw};
use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::Ordering::Relaxed;
use statictramp::Lookup;
use statictramp::runtime::extra;

/// Makes a trampoline for an ordinary C function: at each call, integer-argument register `position` is
/// overwritten with `context`. What the caller passes there is lost, so callee and caller have the same
/// parameters: of `int f(void *context, int x)` with position 0 the caller's pointer is `int (*)(void *, int)`, and
/// it passes anything as first argument. statictramp_bind_first is for callers that do not have that parameter.
///
/// Registers are counted from 0, not parameters: in general floating-point parameters take none, a struct passed in
/// registers takes one for each half that is not floating-point, and a result returned in memory takes the first, for its
/// hidden pointer (not on AArch64). The manual page statictramp_registers(3) has what each processor counts. A register after
/// those of the caller's arguments may be given, too: then nothing is lost, and the callee has one parameter more than the
/// caller passes. But on i386, where all arguments are on the stack, its words are counted, and `position` must be that of
/// a word that the caller passes: any other is the caller's own memory.
///
/// Returns NULL and sets errno to EINVAL if callee is NULL or there is no such register, to ENOMEM if all slots are in use.
/// For the rest see statictramp_alloc.
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

/// Gives a live trampoline of statictramp_bind, statictramp_bind_first or statictramp_bind_raw another context: for
/// an object that moves, which its function pointer follows. No call through it may be under way.
///
/// Returns 0. Returns -1 and sets errno to EINVAL if the pointer is anything else.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_rebind(trampoline: StatictrampFn, context: *mut c_void) -> c_int {
    match statictramp::lookup(address(trampoline)) {
        Ok(Lookup::Live { chain, entry, .. }) if is_adapter(entry) => {
            // SAFETY: only `bound` makes trampolines that enter an adapter, and gives them such a chain, which stays.
            // Relaxed: whoever calls the trampoline next was told to, after this.
            unsafe { (*chain.cast::<extra::SlotExtra>()).first.store(context.cast(), Relaxed) };
            0
        }
        _ => fail(EINVAL, -1),
    }
}

/// What was given as chain; of a bound trampoline, known by its entry, the context.
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

/// How a trampoline was bound, known by its entry: 0 and above, the position; -1, it was not bound; -2 and below, by
/// statictramp_bind_first with so many registers used, or by statictramp_bind_raw.
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
