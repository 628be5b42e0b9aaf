//! The words of the thread that a closure's address passes through: see `src/arch/in_thread.rs`.

use crate::arch::in_thread::{pending, take};
use crate::arch::shape::Shape;

/// Bytes of the stack that arguments can take: all but at least five words of them are in registers. Of what is larger
/// than two words only a struct of up to four floating-point values is passed itself.
pub(crate) const fn stack(arguments: &[Shape]) -> usize {
    let (mut words, mut i) = (0usize, 0);
    while i < arguments.len() {
        words += match arguments[i].size {
            0..=64 => arguments[i].words() + (arguments[i].align > 8) as usize,
            _ => 1,
        };
        i += 1;
    }
    (8 * words.saturating_sub(5)).next_multiple_of(16)
}

macro_rules! jump_to_pass {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "hint #34", // bti c
            "adrp x9, {enter}",
            "add x9, x9, :lo12:{enter}",
            "mov x10, {stack}",
            "b {pass}",
            ".cfi_endproc",
        )
    };
}
pub(crate) use jump_to_pass;

/// The address of the words, into x16; x17 serves meanwhile.
macro_rules! address {
    () => {
        concat!(
            "adrp x16, :gottprel:",
            pending!(),
            "\n",
            "ldr x16, [x16, :gottprel_lo12:",
            pending!(),
            "]\n",
            "mrs x17, tpidr_el0\n",
            "add x16, x16, x17",
        )
    };
}

/// Passes x15 to the function at x9; arguments take at most so many bytes of the stack as x10 says.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "hint #34", // bti c
        address!(),
        "ldr x17, [x16]",
        "cbnz x17, 2f",
        "str x15, [x16]",
        "mov x16, x9", // a jump through x16 may land on a `bti c`
        "br x16",
        "2: stp x29, x30, [sp, #-32]!",
        ".cfi_def_cfa_offset 32",
        ".cfi_offset x29, -32",
        ".cfi_offset x30, -24",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "ldr x11, [x16, #8]",
        "stp x17, x11, [x29, #16]", // the record
        "add x13, x29, #32",
        "add x13, x13, x10",
        "3: cbz x10, 4f", // downwards, so that no page of the stack is left out
        "ldp x11, x12, [x13, #-16]!",
        "stp x11, x12, [sp, #-16]!",
        "sub x10, x10, #16",
        "b 3b",
        "4: add x11, x29, #16",
        "str x11, [x16, #8]", // before the address: who comes between the two finds the other still
        "str x15, [x16]",
        "blr x9",
        "mov sp, x29",
        ".cfi_def_cfa_register sp",
        "ldp x29, x30, [sp], #32",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
    )
}

/// Leaves in x10 what was passed, and in the words what was there before; changes x11 to x13, x16 and x17 besides.
#[unsafe(naked)]
extern "C" fn take_pending() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "hint #34", // bti c
        address!(),
        "ldp x10, x11, [x16]",
        "cbnz x11, 2f",
        "str xzr, [x16]",
        "ret",
        "2: ldp x12, x13, [x11]",
        "str x13, [x16, #8]",
        "str x12, [x16]",
        "ret",
        ".cfi_endproc",
    )
}

take!("bl {take}" => "x10", changing "x11" "x12" "x13" "x16" "x17" "x30");
