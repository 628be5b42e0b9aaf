//! `statictramp_bind_first`: a context as a first argument that the caller does not pass.
//!
//! An adapter for each number of registers moves the caller's up by one and loads the context into the one that is
//! free then. It knows nothing of the callee's types, so what does not move by just one register is refused.

use crate::bound::{self, bound};
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address};
use core::ffi::{c_uint, c_void};

/// An adapter for each list of registers: the last gets the context, and each other what was in the next.
macro_rules! inserts {
    ($($table:ident { $($name:ident $($register:literal)+;)* })*) => {
        $(
            $(
                #[unsafe(naked)]
                extern "C" fn $name() {
                    insert!([] $($register)+)
                }
            )*
            pub(super) const $table: &[extern "C" fn()] = &[$($name),*];
        )*
    };
}

/// Turns the list into pairs {to from}, for the `adapter!` of the processor.
macro_rules! insert {
    ([$($pair:tt)*] $context:literal) => {
        adapter!($context; $($pair)*)
    };
    ([$($pair:tt)*] $to:literal $from:literal $($rest:literal)*) => {
        insert!([$($pair)* {$to $from}] $from $($rest)*)
    };
}

#[cfg(target_arch = "aarch64")]
#[path = "arch/aarch64/bind_first.rs"]
mod isa;
#[cfg(target_arch = "arm")]
#[path = "arch/arm/bind_first.rs"]
mod isa;
#[cfg(target_arch = "loongarch64")]
#[path = "arch/loongarch64/bind_first.rs"]
mod isa;
#[cfg(target_arch = "powerpc")]
#[path = "arch/powerpc/bind_first.rs"]
mod isa;
#[cfg(target_arch = "powerpc64")]
#[path = "arch/powerpc64/bind_first.rs"]
mod isa;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
#[path = "arch/riscv/bind_first.rs"]
mod isa;
#[cfg(target_arch = "s390x")]
#[path = "arch/s390x/bind_first.rs"]
mod isa;
#[cfg(target_arch = "x86")]
#[path = "arch/x86/bind_first.rs"]
mod isa;
#[cfg(all(target_arch = "x86_64", not(windows)))]
#[path = "arch/x86_64/bind_first.rs"]
mod isa;
#[cfg(all(target_arch = "x86_64", windows))]
#[path = "arch/x86_64/windows/bind_first.rs"]
mod isa;

/// Added to the `used` of statictramp_bind_first: the result is returned in memory. That is a struct of more than 16 bytes, but
/// on AArch64 not one of up to 4, and on PowerPC of 64 bits not one of up to 8 equal floating-point numbers; on PowerPC of 32 bits
/// one of any size; on Arm one of more than 4
/// bytes; on i386 one of any size, and each _Complex but that of float; on s390x one of any size, each _Complex, long double and
/// __int128; on Windows one of any size but 1, 2, 4 and 8, and a long double of 16 bytes. Where its hidden pointer is in the
/// first integer register (not on AArch64), or the first word of the stack (on i386), it stays there,
/// and the context comes after it. `used` does not count that register.
pub const STATICTRAMP_RESULT_IN_MEMORY: c_uint = 0x100;

/// Added to the `used` of statictramp_bind_first: one of the caller's arguments must begin in an even register (on Arm of 64
/// bits, but for floating-point numbers where those have registers of their own; on AArch64 of 128 bits, as __int128; on
/// RISC-V and LoongArch a variadic one of two registers; on PowerPC of 32 bits an integer of 64 bits, on that of 64 bits a vector, a __float128, or a struct that is aligned
/// to 16 bytes and is not of IBM's long doubles alone; on i386 a vector after the third, a __float128, or a struct that has
/// a vector or a __float128).
pub const STATICTRAMP_EVEN_PAIR: c_uint = 0x200;

/// Makes a trampoline for an ordinary C function that has one parameter more than its caller passes: at each call,
/// `context` is inserted as the first argument, before the `used` integer registers that the caller's arguments take,
/// which move up by one. So for `int f(void *context, int x, double y)` the caller's pointer is `int (*)(int, double)`,
/// and `used` is 1.
///
/// Registers are counted, not parameters: floating-point parameters take none, as long as there are registers of their
/// own left for them (on RISC-V and LoongArch they take integer registers then); a struct passed in registers takes one for each half
/// that is not floating-point; one passed as the address of a copy takes one (on s390x a long double, a _Complex,
/// an __int128 and a struct of any size but 1, 2, 4 and 8; on PowerPC of 32 bits every struct). What is passed on the stack stays there.
/// STATICTRAMP_RESULT_IN_MEMORY and STATICTRAMP_EVEN_PAIR are added where they hold. On Arm and PowerPC of 32 bits no more than the registers
/// before a gap need be counted: of `(int, long long)` that is 1, and then there is no pair that moves. On PowerPC of 64 bits every
/// parameter takes one for each 8 bytes of it, a floating-point one too; those after the last of another kind need not be
/// counted as long as the floating-point registers hold them all: with anything on the stack count 8, which is refused. On Windows every parameter takes one, a floating-point one too.
/// On i386 words of the stack are counted, and all of them: every parameter takes one for each 4 bytes of it.
///
/// Returns NULL and sets errno to EINVAL if callee is NULL; if no register is left for the context: more than 5 are
/// used on x86-64 (on Windows 3), 7 on AArch64, PowerPC, RISC-V and LoongArch, 3 on Arm and s390x, 15 on i386, one less each where a
/// hidden pointer is in the first; and if an even pair would move (not on x86-64 and s390x). Sets errno to ENOMEM if all slots
/// are in use. For the rest see statictramp_alloc.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_bind_first(
    callee: StatictrampFn,
    context: *mut c_void,
    used: c_uint,
) -> StatictrampFn {
    let adapters = if used & STATICTRAMP_RESULT_IN_MEMORY != 0 { isa::AFTER_RESULT } else { isa::FIRST };
    let pair_moves = used & STATICTRAMP_EVEN_PAIR != 0 && isa::HAS_EVEN_PAIRS;
    let count = used & !(STATICTRAMP_RESULT_IN_MEMORY | STATICTRAMP_EVEN_PAIR);
    match adapters.get(count as usize) {
        Some(&adapter) if !pair_moves => bound(address(callee), context, adapter as *const ()),
        _ => fail(EINVAL, None),
    }
}

/// The number of an adapter, known by its address.
pub(crate) fn number(entry: *const ()) -> Option<usize> {
    bound::number(isa::FIRST, entry)
        .or_else(|| bound::number(isa::AFTER_RESULT, entry).map(|number| number + isa::FIRST.len()))
}
