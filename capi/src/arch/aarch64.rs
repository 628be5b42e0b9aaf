//! AArch64 (AAPCS64, section 6.8.2).

#[cfg(unix)]
use crate::tls::symbol;
#[cfg(unix)]
use core::arch::asm;

macro_rules! adapter {
    ($register:literal) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "hint #34", // bti c
            concat!("ldr ", $register, ", [x15]"),
            "ldr x16, [x15, #8]",
            "br x16",
            ".cfi_endproc",
        )
    };
}
adapters! {
    statictramp_bind_0 "x0"
    statictramp_bind_1 "x1"
    statictramp_bind_2 "x2"
    statictramp_bind_3 "x3"
    statictramp_bind_4 "x4"
    statictramp_bind_5 "x5"
    statictramp_bind_6 "x6"
    statictramp_bind_7 "x7"
}

#[cfg(unix)]
macro_rules! go_on {
    (stack_pointer first, $to:path) => {
        $crate::arch::go_on!("mov x0, sp", $to)
    };
    (stack_pointer fourth, $to:path) => {
        $crate::arch::go_on!("mov x3, sp", $to)
    };
    (return_address second, $to:path) => {
        $crate::arch::go_on!("mov x1, x30", $to)
    };
    ($instruction:literal, $to:path) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "hint #34", // bti c
            $instruction,
            "b {to}",
            ".cfi_endproc",
            to = sym $to,
        )
    };
}
#[cfg(unix)]
pub(crate) use go_on;

#[cfg(unix)]
#[inline(always)]
pub(super) fn thread_word(offset: usize) -> *mut usize {
    let word: *mut usize;
    // SAFETY: computes an address; the offset of the words from the thread pointer, and that
    // pointer, never change.
    unsafe {
        asm!(
            concat!("adrp {0}, :gottprel:", symbol!()),
            concat!("ldr {0}, [{0}, :gottprel_lo12:", symbol!(), "]"),
            "mrs {1}, tpidr_el0",
            "add {0}, {0}, {1}",
            out(reg) word, out(reg) _, options(pure, nomem, nostack, preserves_flags),
        );
    }
    word.wrapping_byte_add(offset)
}
