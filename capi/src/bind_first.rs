//! `statictramp_bind_first`: a context as a first argument that the caller does not pass.
//!
//! There is an adapter for each number of registers; it moves the caller's registers up by one and loads the context
//! into the one that becomes free. It does not know the callee's types, so signatures whose arguments do not move by
//! exactly one register are rejected.

use crate::arch::{AFTER_RESULT, FIRST, processor};
use crate::bound::{self, bound};
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address};
use core::ffi::{c_uint, c_void};

/// Added to the `used` of statictramp_bind_first: the result is returned in memory. In general that is a struct of more
/// than 16 bytes; the manual page statictramp_registers(3) has the rules for each processor. If its hidden pointer is
/// in the first integer register (not on AArch64), or in the first word of the stack (on i386), it stays there, and the
/// context comes after it. `used` does not count that register.
pub const STATICTRAMP_RESULT_IN_MEMORY: c_uint = 0x100;

/// Added to the `used` of statictramp_bind_first: an argument from the caller must begin in an even register. The
/// manual page statictramp_registers(3) lists these arguments for each processor; there are none on x86-64 and s390x.
pub const STATICTRAMP_EVEN_PAIR: c_uint = 0x200;

/// Makes a trampoline for an ordinary C function that has one parameter more than its caller passes. At each call
/// `context` is inserted as the first argument, and the caller's arguments in the `used` integer registers move up by
/// one register. So for `int f(void *context, int x, double y)` the caller's pointer is `int (*)(int, double)`, and
/// `used` is 1.
///
/// Registers are counted, not parameters. In general floating-point parameters take none, as long as floating-point
/// registers are left for them. A struct passed in registers takes one for each half that is not floating-point; a
/// struct passed as the address of a copy takes one. Arguments on the stack stay there. STATICTRAMP_RESULT_IN_MEMORY
/// and STATICTRAMP_EVEN_PAIR must be added if they apply. The manual page statictramp_registers(3) has the rules for
/// each processor; on i386 they count words of the stack.
///
/// Returns NULL and sets errno to EINVAL if callee is NULL; if no register is left for the context, because all are
/// used, or all except that of a hidden pointer; and if an even pair would move. Sets errno to ENOMEM if all slots are
/// in use. For the rest see statictramp_alloc.
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

/// The number of an adapter with this address.
pub(crate) fn number(entry: *const ()) -> Option<usize> {
    bound::number(FIRST, entry)
        .or_else(|| bound::number(AFTER_RESULT, entry).map(|number| number + FIRST.len()))
}
