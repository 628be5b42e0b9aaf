//! `statictramp_bind_first`: a context as a first argument that the caller does not pass.
//!
//! There is one adapter for each number of registers that the caller's arguments may take. The adapter moves these
//! arguments up by one register, and loads the context into the register that becomes free. The adapter does not know
//! the callee's types, so a signature is rejected if an argument would not move by exactly one register.

use crate::arch::{AFTER_RESULT, FIRST, processor};
use crate::bound::{self, bound};
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address};
use core::ffi::{c_uint, c_void};

/// A flag to add to the argument `used` of statictramp_bind_first if the result is returned in memory. In general,
/// structs of more than 16 bytes are returned in memory; the manual page statictramp_registers(3) states the rules for
/// each processor. If the result's hidden pointer is in the first integer register (not on AArch64), or in the first
/// word of the stack (on i386), the pointer remains there, and the context comes after it. `used` does not count that
/// register or word.
pub const STATICTRAMP_RESULT_IN_MEMORY: c_uint = 0x100;

/// A flag to add to the argument `used` of statictramp_bind_first if an argument that the caller passes must begin in
/// an even register. The manual page statictramp_registers(3) lists the affected types for each processor; x86-64 and
/// s390x have none.
pub const STATICTRAMP_EVEN_PAIR: c_uint = 0x200;

/// Makes a trampoline for an ordinary C function that has one more parameter than its caller passes. At each call
/// `context` is inserted as the first argument, and the caller's arguments in the `used` integer registers move up by
/// one register. For example, `used` is 1 for
/// `int f(void *context, int x, double y)`, and the caller's pointer has the type `int (*)(int, double)`.
///
/// `used` counts registers; it does not count parameters. Floating-point parameters usually do not count, as long as
/// floating-point registers remain for them. A struct passed in registers takes one register for each half that is not
/// floating-point. A struct passed as the address of a copy takes one register. Arguments on the stack remain there.
/// STATICTRAMP_RESULT_IN_MEMORY and STATICTRAMP_EVEN_PAIR must be added if they apply. The manual page
/// statictramp_registers(3) states the rules for each processor; on i386, words of the stack are counted instead.
///
/// Returns NULL and sets errno to EINVAL if callee is NULL, if an argument that must begin in an even register would
/// move, or if no register is left for the context. (None is left if the arguments and the hidden pointer, if any, use
/// all registers.) Returns NULL and sets errno to ENOMEM if all slots are in use. In all other respects the trampoline
/// is like one from statictramp_alloc.
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

/// Returns the number of the adapter at this address, or `None` if there is no adapter.
pub(crate) fn number(entry: *const ()) -> Option<usize> {
    bound::number(FIRST, entry)
        .or_else(|| bound::number(AFTER_RESULT, entry).map(|number| number + FIRST.len()))
}
