//! `statictramp_bind` and `statictramp_rebind`, which pass a context to functions that do not use static chains.
//!
//! The chain of a bound trampoline is the address of its slot's extra words, {context, callee}. The stub jumps to an
//! adapter, which loads both words. The adapter's address identifies how the trampoline was bound.

use crate::arch;
use crate::bound::{bound, number};
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address};
use crate::{bind_first, bind_types, raw};
use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::Ordering::Relaxed;
use statictramp::Lookup;
use statictramp::for_capi::extra;

/// Makes a trampoline for an ordinary C function. At each call, the context replaces the caller's argument in
/// integer-argument register `position`, so the function type that the caller uses has the same parameters as `callee`.
/// For `int f(void *context, int x)` with position 0, the caller's pointer has the type `int (*)(void *, int)`, and the
/// caller may pass anything as the first argument. If the caller's pointer type lacks that parameter, use
/// statictramp_bind_first.
///
/// `position` is a register number, counted from 0, rather than a parameter number. A floating-point parameter usually
/// takes no integer register. A struct passed in registers usually takes an integer register for each register-sized
/// part, except parts that contain only floating-point members. If the result is returned in memory, its hidden pointer
/// takes the first register (except on AArch64). The manual page statictramp_registers(3) lists the rules for each
/// processor. `position` may also be the number of the first register that the caller does not use: no argument is then
/// lost, and the callee takes one more argument than the caller passes. On i386, all arguments are on the stack, and
/// `position` counts stack words. There, `position` must be the number of a word that the caller passes, because the
/// words after the arguments belong to the caller.
///
/// Returns NULL and sets errno to EINVAL if `callee` is NULL or the register does not exist, or to ENOMEM if all slots
/// are in use. In all other respects, the trampoline is like one made by statictramp_alloc.
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

/// Changes the context of a live trampoline made by statictramp_bind_types, statictramp_bind_types_last,
/// statictramp_bind, statictramp_bind_first or statictramp_bind_raw, for example when the context object moves but the
/// function pointer must remain valid. No call through the trampoline may be in progress.
///
/// Returns 0, or returns -1 and sets errno to EINVAL if the pointer is not a live trampoline made by one of these
/// functions. In a library built with signed slots (STATICTRAMP_SIGN), prints a message and aborts if other code has
/// changed the words that store the callee and the context; on processors with FEAT_FPAC, the process receives SIGILL
/// instead.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_rebind(trampoline: StatictrampFn, context: *mut c_void) -> c_int {
    match statictramp::lookup(address(trampoline)) {
        Ok(Lookup::Live { chain, entry, .. }) if is_adapter(entry) => {
            // SAFETY: only `bound.rs` makes trampolines that jump to an adapter, and `lookup` has read the chain from
            // the slot.
            unsafe { extra::of_bound(address(trampoline), chain) }.rebind(context.cast());
            0
        }
        _ => fail(EINVAL, -1),
    }
}

/// Returns the context of a bound trampoline (identified by its entry), or the chain of any other trampoline.
///
/// # Safety
/// The entry and the chain must have been returned by `lookup` for the same trampoline.
pub unsafe fn chain_or_context(entry: *const (), chain: *mut ()) -> *mut () {
    if is_adapter(entry) {
        // SAFETY: the caller passes a trampoline's entry and chain. Only `bound.rs` makes trampolines that jump to an
        // adapter. The chain of each is the address of its slot's extra words, which remain valid.
        unsafe { (*chain.cast::<extra::SlotExtra>()).first.load(Relaxed) }
    } else {
        chain
    }
}

#[inline(never)]
fn is_adapter(entry: *const ()) -> bool {
    number(arch::ADAPTERS, entry).or_else(|| bind_first::number(entry)).is_some()
        || raw::is_entry(entry)
        || bind_types::is_entry(entry)
}

/// Returns how a trampoline was bound, as its entry shows: a register number (0 or more) for statictramp_bind, -2 - n
/// for adapter number n of statictramp_bind_first, -64 for statictramp_bind_raw, -65 if arguments are copied according
/// to a plan (`bind_types.rs`), and -1 for any other trampoline.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub fn position(entry: *const ()) -> c_int {
    const RAW: c_int = -64;
    const PLAN: c_int = -65;
    match (number(arch::ADAPTERS, entry), bind_first::number(entry)) {
        (Some(number), _) => number as c_int,
        (_, Some(number)) => -2 - number as c_int,
        _ if raw::is_entry(entry) => RAW,
        _ if bind_types::is_entry(entry) => PLAN,
        _ => -1,
    }
}
