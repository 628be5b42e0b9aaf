//! RISC-V (ELF psABI, chapter "Integer Calling Convention").

#[cfg(unix)]
use crate::tls::symbol;
#[cfg(unix)]
use core::arch::asm;

#[cfg(target_pointer_width = "64")]
macro_rules! load {
    () => {
        "ld "
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! load {
    () => {
        "lw "
    };
}
#[cfg(target_pointer_width = "64")]
macro_rules! word {
    () => {
        "8"
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! word {
    () => {
        "4"
    };
}

macro_rules! adapter {
    ($register:literal) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            concat!(load!(), $register, ", 0(t2)"),
            concat!(load!(), "t1, ", word!(), "(t2)"),
            "jr t1",
            ".cfi_endproc",
        )
    };
}
adapters! {
    statictramp_bind_0 "a0"
    statictramp_bind_1 "a1"
    statictramp_bind_2 "a2"
    statictramp_bind_3 "a3"
    statictramp_bind_4 "a4"
    statictramp_bind_5 "a5"
    statictramp_bind_6 "a6"
    statictramp_bind_7 "a7"
}

#[cfg(unix)]
macro_rules! go_on {
    (stack_pointer first, $to:path) => {
        $crate::arch::go_on!("mv a0, sp", $to)
    };
    (stack_pointer fourth, $to:path) => {
        $crate::arch::go_on!("mv a3, sp", $to)
    };
    (return_address second, $to:path) => {
        $crate::arch::go_on!("mv a1, ra", $to)
    };
    ($instruction:literal, $to:path) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            $instruction,
            "tail {to}",
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
            concat!("la.tls.ie {0}, ", symbol!()),
            "add {0}, {0}, tp",
            out(reg) word, options(pure, nomem, nostack),
        );
    }
    word.wrapping_byte_add(offset)
}
