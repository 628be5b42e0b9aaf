//! `statictramp_bind_first`, which inserts a context before the caller's first argument.
//!
//! There is one adapter for each possible number of argument registers used by the caller. The adapter moves the
//! caller's arguments up by one register, and loads the context into the first register, which is now free. Adapters do
//! not know the argument types. STATICTRAMP_EVEN_PAIR therefore tells `statictramp_bind_first` that an argument cannot
//! move by exactly one register, and the function rejects such a signature.

use crate::arch::{AFTER_RESULT, FIRST, processor};
use crate::bound::{self, bound};
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address};
use core::ffi::{c_uint, c_void};

/// A flag to add to the `used` argument of statictramp_bind_first if the result is returned in memory, as structs of more
/// than 16 bytes usually are on 64-bit processors (the manual page statictramp_registers(3) lists the rules for each
/// processor). Except on AArch64, the hidden pointer to the result remains in the first integer-argument register (on
/// i386, in the first argument word), and the context comes after it. `used` does not count that register or word.
pub const STATICTRAMP_RESULT_IN_MEMORY: c_uint = 0x100;

/// A flag to add to the `used` argument of statictramp_bind_first if an argument that the caller passes must begin in an
/// even-numbered register. The manual page statictramp_registers(3) lists the affected types for each processor; on
/// x86-64 and s390x, there are none.
pub const STATICTRAMP_EVEN_PAIR: c_uint = 0x200;

/// Makes a trampoline for an ordinary C function that takes one more argument than its caller passes. At each call,
/// `context` is inserted as the first argument, and the caller's arguments in the first `used` integer-argument
/// registers move up by one. For `int f(void *context, int x, double y)`, for example, `used` is 1, and the caller's
/// pointer has the type `int (*)(int, double)`.
///
/// `used` counts registers, not parameters. A floating-point parameter usually takes no integer register as long as
/// floating-point registers remain. A struct passed in registers usually takes an integer register for each
/// register-sized part, except parts that contain only floating-point members. A struct passed as the address of a copy
/// takes one register. Stack arguments do not move. Add STATICTRAMP_RESULT_IN_MEMORY and STATICTRAMP_EVEN_PAIR to
/// `used` if they apply. The manual page statictramp_registers(3) lists the rules for each processor. On i386, `used`
/// counts stack words instead.
///
/// Returns NULL and sets errno to EINVAL if `callee` is NULL, if an argument that must begin in an even-numbered
/// register would move, or if the arguments and any hidden pointer leave no register for the context. Returns NULL and
/// sets errno to ENOMEM if all slots are in use. In all other respects, the trampoline is like one made by
/// statictramp_alloc.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_bind_first(
    callee: StatictrampFn,
    context: *mut c_void,
    used: c_uint,
) -> StatictrampFn {
    let adapters = if used & STATICTRAMP_RESULT_IN_MEMORY != 0 { AFTER_RESULT } else { FIRST };
    let pair_moves = used & STATICTRAMP_EVEN_PAIR != 0 && processor!(even_pairs);
    let count = used & !(STATICTRAMP_RESULT_IN_MEMORY | STATICTRAMP_EVEN_PAIR);
    match adapters.get(count as usize) {
        Some(&adapter) if !pair_moves => bound(address(callee), context, adapter as *const ()),
        _ => fail(EINVAL, None),
    }
}

/// Returns the number of the adapter at an address, or `None` if there is no adapter at that address.
pub(crate) fn number(entry: *const ()) -> Option<usize> {
    bound::number(FIRST, entry)
        .or_else(|| bound::number(AFTER_RESULT, entry).map(|number| number + FIRST.len()))
}
