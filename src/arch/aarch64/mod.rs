//! AArch64: the static chain is in x15 and, on platforms where x18 is an ordinary temporary, also in x18.

pub(crate) mod adapters;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(all(feature = "scratch", target_os = "linux"))]
pub(crate) mod scratch;

#[cfg(target_os = "linux")]
pub(crate) use crate::arch::kernel::*;
#[cfg(target_os = "linux")]
pub(crate) use statictramp_targets::stub::Encoding::Aarch64 as ENCODING;

/// Distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 32;

/// The bits that are added to a stub's address to obtain the address to call. There are none on this processor.
pub(crate) const CODE_BIT: usize = 0;

// The thread pointer (AAPCS64, section 6.1.2).
#[cfg(not(any(target_os = "none", target_os = "macos", miri)))]
crate::arch::thread_pointer!("mrs {}, tpidr_el0");

// The kernel changes only registers that any function call may change: x0, and bits 128 and above of the SVE
// registers.
#[cfg(target_os = "linux")]
crate::arch::system_call! { number [first second third fourth fifth sixth] result;
    "svc #0",
    in("x8") number, inlateout("x0") first => result,
    in("x1") second, in("x2") third, in("x3") fourth, in("x4") fifth, in("x5") sixth,
    clobber_abi("C"), options(nostack),
}

/// The instructions that compute the PC-relative address of a symbol or label into operand 0.
#[cfg(not(target_os = "macos"))]
macro_rules! address {
    ($symbol:expr) => {
        concat!("adrp {0}, ", $symbol, "\nadd {0}, {0}, :lo12:", $symbol)
    };
}
#[cfg(not(target_os = "macos"))]
pub(crate) use address;
#[cfg(target_os = "macos")]
pub(crate) use macos::{address, thread_pointer};

/// The processor's instructions for `dead_procedure!`. At the trap, which only boards reach, x0 contains the slot's number,
/// and x1 and x30 the caller's return address.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "hint #34", // bti c
            "stp x29, x30, [sp, #-16]!",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset x29, -16",
            ".cfi_offset x30, -8",
            "mov x29, sp",
            "mov x0, x15",
            "mov x1, x30",
            "bl {diagnose}",
            "ldr x30, [sp, #8]",
            "mov x1, x30",
            "udf #0",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

/// Stops execution with a trap.
#[cfg(not(unix))]
pub(crate) fn trap() -> ! {
    // SAFETY: the instruction is undefined, so it traps and execution does not continue.
    unsafe { core::arch::asm!("udf #0", options(noreturn, nomem, nostack)) }
}

#[cfg(all(growing, target_os = "linux"))]
crate::arch::debugger! {
    unit 4, breakpoints [0x00, 0x00, 0x20, 0xd4]; // brk #0
    machine libc::EM_AARCH64; function "hint #34\nret" // bti c
}
