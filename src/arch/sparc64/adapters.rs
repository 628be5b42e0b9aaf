//! Passing a closure's address as an extra argument (SPARC Compliance Definition 2.4, section 3, "Function Calling
//! Sequence"). Every argument takes consecutive doublewords. The first six doublewords are in %o0 to %o5.
//! Floating-point numbers in the first 16 doublewords are in floating-point registers instead. An argument of more than
//! 16 bytes is passed by reference, and the address of a result of more than 32 bytes comes first. The position of the
//! next parameter therefore follows from the sizes of the arguments alone. The exceptions are an argument aligned to
//! more than 8 bytes, about which compilers disagree, and a zero-sized argument, about which C and Rust disagree. There
//! are three ways, and in all of them, the adapter ends with a jump and needs no frame:
//! - *Next*, if the position of the next parameter is known and is in a register. The adapter sets that register to the
//!   closure's address.
//! - *After a result* of more than 32 bytes, under the same conditions. All positions are higher by one, because the
//!   address of the result comes first.
//! - *In thread-local words*, for all other signatures (`in_thread.rs`).

use super::BEYOND_SIX;
use crate::arch::in_thread::pending;
pub(crate) use crate::arch::in_thread::take_in_rust as take;
use crate::arch::signature::{Signature, SizeAlign};

/// The ways of passing a closure's address.
pub(crate) enum Passing {
    Next,
    AfterResult,
    ThreadWords,
}

/// Number of integer argument registers.
const REGISTERS: usize = 6;

/// Returns the minimum and the maximum number of doublewords that the arguments take.
const fn doublewords(signature: &Signature<'_>) -> (usize, usize) {
    let (mut least, mut most, mut i) = (0, 0, 0);
    while i < signature.arguments.len() {
        let SizeAlign { size, align } = signature.arguments[i];
        let words = if size > 16 { 1 } else { size.div_ceil(8) };
        least += words;
        most += words + (size == 0 || align > 8) as usize;
        i += 1;
    }
    (least, most)
}

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    let (least, most) = doublewords(signature);
    match (least == most, signature.result.size > 32) {
        (true, false) if most < REGISTERS => Passing::Next,
        (true, true) if most + 1 < REGISTERS => Passing::AfterResult,
        _ => Passing::ThreadWords,
    }
}

/// Returns the number of the first register after the argument registers and `skipped` further positions. If there is
/// no such register, returns the number of the last register. In that case, `passing` selects an adapter that does not
/// use this number.
pub(crate) const fn register_after(signature: &Signature<'_>, skipped: usize) -> usize {
    let position = doublewords(signature).1 + skipped;
    if position < REGISTERS { position } else { REGISTERS - 1 }
}

/// Defines the adapter for a signature, with `define_adapter!` of `src/closure/adapters.rs`.
macro_rules! adapter {
    ($passing:expr, $define:ident $signature:tt) => {
        match $passing {
            arch::Passing::Next => $define!(
                $signature, (), (holder: *const H), holder,
                ".cfi_startproc",
                "mov %g5, %o{register}",
                "mov %o7, %g1", // `call` reaches targets up to 2 GiB away, and changes %o7
                ".cfi_register %o7, %g1",
                "call {enter}",
                "mov %g1, %o7",
                ".cfi_restore %o7",
                ".cfi_endproc",
                register = const arch::register_after(&Self::SIGNATURE, 0),
            ),
            arch::Passing::AfterResult => $define!(
                $signature, (), (holder: *const H), holder,
                ".cfi_startproc",
                "mov %g5, %o{register}",
                "mov %o7, %g1", // `call` reaches targets up to 2 GiB away, and changes %o7
                ".cfi_register %o7, %g1",
                "call {enter}",
                "mov %g1, %o7",
                ".cfi_restore %o7",
                ".cfi_endproc",
                register = const arch::register_after(&Self::SIGNATURE, 1),
            ),
            arch::Passing::ThreadWords => $define!(
                $signature, (), (), arch::take::<H>(),
                // There are not enough registers for the data that `pass` needs. The data therefore follows the
                // instructions, at known distances from the adapter's address, which is in %g1.
                ".cfi_startproc",
                "77: rd %pc, %g1",
                "mov %o7, %g4",
                ".cfi_register %o7, %g4",
                "call {pass}",
                "mov %g4, %o7",
                ".long {stack}",       // 16
                ".long {enter} - 77b", // 20
                ".cfi_endproc",
                stack = const arch::stack(&Self::SIGNATURE),
                pass = sym arch::pass,
            ),
        }
    };
}
pub(crate) use adapter;

/// Returns the maximum size in bytes of the stack arguments. The stack arguments are those that do not fit into the
/// registers, one of which may hold the address of the result.
pub(crate) const fn stack(signature: &Signature<'_>) -> usize {
    const HIDDEN: usize = 1;
    (8 * (doublewords(signature).1 + HIDDEN).saturating_sub(REGISTERS)).next_multiple_of(16)
}

/// Passes %g5 to the function. %g1 contains the adapter's address, and the adapter's data contains the distance to the
/// function and the size of the stack arguments. The frame of the slow path contains the record at the top, and a copy
/// of the stack arguments.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "save %sp, -192, %sp",
        ".cfi_window_save",
        ".cfi_def_cfa_register %fp",
        ".cfi_register %o7, %i7",
        crate::arch::text!(word_at pending!(), "%l0", "%l1"),
        "ldx [%l0], %l2",
        "ldsw [%g1 + 16], %l3",
        "ldsw [%g1 + 20], %l4",
        "brnz,pn %l2, 2f",
        "add %g1, %l4, %g1",
        "stx %g5, [%l0]",
        "jmp %g1",
        "restore",
        "2: ldx [%l0 + 8], %l4",
        "add %fp, 2047 - 16, %l5", // the record
        "stx %l2, [%l5]",
        "stx %l4, [%l5 + 8]",
        "add %fp, {stack}, %l6",
        "add %l6, %l3, %l6", // the end of the caller's stack arguments
        "3: brz,pn %l3, 4f", // copies downwards, so that no guard page is skipped
        "sub %l6, 16, %l6",
        "sub %sp, 16, %sp",
        "ldx [%l6 + 8], %l4",
        "stx %l4, [%sp + {stack} + 8]",
        "ldx [%l6], %l4",
        "stx %l4, [%sp + {stack}]",
        "ba,pt %xcc, 3b",
        "sub %l3, 16, %l3",
        "4: stx %l5, [%l0 + 8]", // stored before the address, so that a signal handler in between finds the previous address
        "stx %g5, [%l0]",
        "mov %i0, %o0",
        "mov %i1, %o1",
        "mov %i2, %o2",
        "mov %i3, %o3",
        "mov %i4, %o4",
        "call %g1",
        "mov %i5, %o5",
        "mov %o0, %i0",
        "mov %o1, %i1",
        "mov %o2, %i2",
        "mov %o3, %i3",
        "ret",
        "restore",
        ".cfi_endproc",
        stack = const BEYOND_SIX,
    )
}
