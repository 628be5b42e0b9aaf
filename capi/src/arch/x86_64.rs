//! System V x86-64 (psABI, section 3.2.3).

#[cfg(unix)]
use crate::tls::symbol;
#[cfg(unix)]
use core::arch::asm;

macro_rules! adapter {
    ($register:literal) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "endbr64",
            concat!("mov ", $register, ", [r10]"),
            "jmp [r10 + 8]",
            ".cfi_endproc",
        )
    };
}
adapters! {
    statictramp_bind_0 "rdi"
    statictramp_bind_1 "rsi"
    statictramp_bind_2 "rdx"
    statictramp_bind_3 "rcx"
    statictramp_bind_4 "r8"
    statictramp_bind_5 "r9"
}

#[cfg(unix)]
macro_rules! go_on {
    (stack_pointer first, $to:path) => {
        $crate::arch::go_on!("mov rdi, rsp", $to)
    };
    (stack_pointer fourth, $to:path) => {
        $crate::arch::go_on!("mov rcx, rsp", $to)
    };
    (return_address second, $to:path) => {
        $crate::arch::go_on!("mov rsi, [rsp]", $to)
    };
    ($instruction:literal, $to:path) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "endbr64",
            $instruction,
            "jmp {to}",
            ".cfi_endproc",
            to = sym $to,
        )
    };
}
#[cfg(unix)]
pub(crate) use go_on;

#[cfg(unix)]
#[inline(always)]
pub(crate) fn load_thread_word(offset: usize) -> usize {
    let value;
    // SAFETY: reads one of the words of `tls.rs`, which each thread has.
    unsafe {
        asm!(
            concat!("mov {0}, [rip + ", symbol!(), "@GOTTPOFF]"),
            "mov {0}, fs:[{0} + {1}]",
            out(reg) value, in(reg) offset, options(readonly, nostack, preserves_flags),
        );
    }
    value
}

#[cfg(unix)]
#[inline(always)]
pub(crate) fn store_thread_word(offset: usize, value: usize) {
    // SAFETY: writes one of the words of `tls.rs`, which only this library uses.
    unsafe {
        asm!(
            concat!("mov {0}, [rip + ", symbol!(), "@GOTTPOFF]"),
            "mov fs:[{0} + {2}], {1}",
            out(reg) _, in(reg) value, in(reg) offset, options(nostack, preserves_flags),
        );
    }
}
