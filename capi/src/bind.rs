//! `statictramp_bind` and `statictramp_rebind`: a context for functions that do not use static chains.
//!
//! The chain of a bound trampoline is the address of its slot's extra words, {context, callee}. The stub enters an
//! adapter, which loads the context and the callee from these words. The adapter's address shows how the trampoline was
//! bound.

use crate::arch;
use crate::bound::{bound, number};
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address};
use crate::{bind_first, bind_types, raw};
use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::Ordering::Relaxed;
use statictramp::Lookup;
use statictramp::for_capi::extra;

/// Makes a trampoline for an ordinary C function. At each call, the context replaces the value in integer-argument
/// register `position`. The argument that the caller passed in that register is lost, so callee and caller have the
/// same parameters. For `int f(void *context, int x)` with position 0, the caller's pointer has the type `int (*)(void
/// *, int)`, and the caller may pass anything as the first argument. If the caller's pointer type lacks that parameter,
/// use statictramp_bind_first.
///
/// `position` is the number of a register, counted from 0, not of a parameter. A floating-point parameter usually takes
/// no integer register. A struct passed in registers usually takes one integer register for each register-sized part
/// that contains anything but floating-point members. If the result is returned in memory, its hidden pointer takes the
/// first register (except on AArch64). The manual page statictramp_registers(3) states the rules for each processor.
/// `position` may also be the number of the first register that the caller does not use. In that case no argument is
/// lost, and the callee takes one argument more than the caller passes. On i386, all arguments are on the stack, and
/// `position` counts stack words. It must be the position of a word that the caller passes, because any other stack
/// word belongs to the caller.
///
/// Returns NULL and sets errno to EINVAL if `callee` is NULL or the register does not exist, or to ENOMEM if all slots
/// are in use. In all other respects the trampoline is like one from statictramp_alloc.
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

/// Changes the context of a live trampoline made by statictramp_bind_types, statictramp_bind_types_last, statictramp_bind,
/// statictramp_bind_first or statictramp_bind_raw. This function is useful, for example, when the context object moves and
/// the function pointer must remain valid. No call through the trampoline may be in progress.
///
/// Returns 0. If the pointer is not such a trampoline, returns -1 and sets errno to EINVAL. If the library was built with
/// signed slots (STATICTRAMP_SIGN) and other code has changed the words that store callee and context, the function prints
/// a message and aborts. On processors with FEAT_FPAC, the process receives SIGILL instead.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_rebind(trampoline: StatictrampFn, context: *mut c_void) -> c_int {
    match statictramp::lookup(address(trampoline)) {
        Ok(Lookup::Live { chain, entry, .. }) if is_adapter(entry) => {
            // SAFETY: only `bound.rs` makes trampolines that enter an adapter, and `lookup` has found the chain in the slot.
            unsafe { extra::of_bound(address(trampoline), chain) }.rebind(context.cast());
            0
        }
        _ => fail(EINVAL, -1),
    }
}

/// Returns the context of a bound trampoline, or the chain of any other trampoline. The entry shows whether the trampoline
/// is bound.
///
/// # Safety
/// The entry and the chain must be those that `lookup` has found for one trampoline.
pub unsafe fn chain_or_context(entry: *const (), chain: *mut ()) -> *mut () {
    if is_adapter(entry) {
        // SAFETY: the caller passes a trampoline's entry and chain. Only `bound.rs` makes trampolines that enter an
        // adapter. Their chain is the address of a slot's extra words, which remain valid.
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

/// Returns how a trampoline was bound, derived from its entry. A value of 0 or more is the register number of an adapter
/// of statictramp_bind. A value of -2 - n means that the trampoline enters adapter number n of statictramp_bind_first.
/// The value -64 means that statictramp_bind_raw made the trampoline, and -65 that the trampoline copies arguments according
/// to a plan (`bind_types.rs`). For any other trampoline, the value is -1.
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
