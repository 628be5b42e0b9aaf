//! The words of the thread that a closure's address passes through: see `src/arch/in_thread.rs`. This file is the reference: it
//! explains nearly every instruction; the other processors' files say what differs.
//!
//! | register | holds |
//! |---|---|
//! | x0 to x8, q0 to q7 | the caller's arguments; never touched |
//! | x15 | the closure's address, from the stub |
//! | x9 | the function to call, from the adapter |
//! | x10 | bytes of the stack that its arguments take at most, from the adapter; in `take_pending` what was passed |
//! | x16 | the address of the thread's words |
//! | x11 to x13, x17 | temporary |
//!
//! All in the table but the arguments may be clobbered, by the adapter, `pass` and `take_pending`.

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
            "hint #34",         // bti c
            "adrp x9, {enter}", // the function of the signature
            "add x9, x9, :lo12:{enter}",
            "mov x10, {stack}", // a multiple of 16
            "b {pass}",         // not a call: x30 stays the caller's return address
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
        "ldr x17, [x16]", // the address that is pending
        "cbnz x17, 2f", // one is: a signal has interrupted another call, or a handler was left by siglongjmp
        "str x15, [x16]", // none is: the short way
        "mov x16, x9",  // a jump through x16 may land on a `bti c`
        "br x16",
        "2: stp x29, x30, [sp, #-32]!", // the long way: a frame record, and 16 bytes for the other record
        ".cfi_def_cfa_offset 32",
        ".cfi_offset x29, -32",
        ".cfi_offset x30, -24",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "ldr x11, [x16, #8]",       // the record of the interrupted call, or 0
        "stp x17, x11, [x29, #16]", // the record
        "add x13, x29, #32",        // the caller's first argument on the stack
        "add x13, x13, x10",        // the end of what is copied
        "3: cbz x10, 4f",           // downwards, so that no page of the stack is left out
        "ldp x11, x12, [x13, #-16]!",
        "stp x11, x12, [sp, #-16]!",
        "sub x10, x10, #16", // as many bytes as one pair of registers copies
        "b 3b",
        "4: add x11, x29, #16", // the record's address
        "str x11, [x16, #8]",   // before the address: who comes between the two finds the other still
        "str x15, [x16]",
        "blr x9",      // a call: the frame is there until it returns
        "mov sp, x29", // drops the copied arguments
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
        "ldp x10, x11, [x16]", // what was passed, and the record, or 0
        "cbnz x11, 2f",
        "str xzr, [x16]", // nothing was pending before
        "ret",
        "2: ldp x12, x13, [x11]", // what was pending before, and its own record
        "str x13, [x16, #8]",     // in the order of `pass`: the record, then the address
        "str x12, [x16]",
        "ret",
        ".cfi_endproc",
    )
}

take!("bl {take}" => "x10", changing "x11" "x12" "x13" "x16" "x17" "x30");
