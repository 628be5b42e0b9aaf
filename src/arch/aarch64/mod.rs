//! AArch64: the static chain is in x15 and, on platforms where x18 is an ordinary temporary, also in x18.

pub(crate) mod adapters;

#[cfg(target_os = "linux")]
pub(crate) use crate::arch::kernel::*;
#[cfg(target_os = "linux")]
pub(crate) use statictramp_targets::stub::Encoding::Aarch64 as ENCODING;

/// The distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 32;

// The thread pointer (AAPCS64, section 6.1.2).
#[cfg(not(any(target_os = "none", target_os = "macos", miri)))]
crate::arch::thread_pointer!("mrs {}, tpidr_el0");
// `_os_tsd_get_base` in libSystem reads the thread pointer in the same way. On older systems, the lowest bits of the
// register contain the processor number.
#[cfg(target_os = "macos")]
crate::arch::thread_pointer!("mrs {}, tpidrro_el0", mask !7);

// The kernel clobbers only call-clobbered (volatile) registers: x0, and bits 128 and above of the SVE registers.
#[cfg(target_os = "linux")]
crate::arch::system_call! { number [first second third fourth fifth sixth] result;
    "svc #0",
    in("x8") number, inlateout("x0") first => result,
    in("x1") second, in("x2") third, in("x3") fourth, in("x4") fifth, in("x5") sixth,
    clobber_abi("C"), options(nostack),
}

/// The instructions that load the PC-relative address of a symbol or label into operand 0.
#[cfg(not(target_os = "macos"))]
macro_rules! address {
    ($symbol:expr) => {
        concat!("adrp {0}, ", $symbol, "\nadd {0}, {0}, :lo12:", $symbol)
    };
}
#[cfg(target_os = "macos")]
macro_rules! address {
    ($symbol:expr) => {
        concat!("adrp {0}, ", $symbol, "@PAGE\nadd {0}, {0}, ", $symbol, "@PAGEOFF")
    };
}
pub(crate) use address;

/// The instructions for `dead_procedure!`. At the trap (reached only on boards), x0 contains the slot's number, and x1
/// and x30 both contain the caller's return address.
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

// A stub that contains its own static chain and entry. It needs no landing pad, because its memory is not mapped with PROT_BTI.
#[cfg(all(feature = "scratch", target_os = "linux"))]
crate::arch::scratch_stub! {
    align 4, code [
        0x5800_00d1, // ldr x17, at + 24: the entry
        0x5800_006f, // ldr x15, at + 16: the chain
        0xaa0f_03f2, // mov x18, x15
        0xd61f_0220, // br x17
    ], words {chain entry};
    /// Cleans the data cache and invalidates the instruction cache for the stub's addresses, line by line (Arm
    /// Architecture Reference Manual for A-profile, B2.4.4). CTR_EL0 contains the line sizes. Linux permits these
    /// instructions, including the read of CTR_EL0, in user mode.
    |at, entry, chain| {
        let start = at.addr();
        let lines: usize;
        core::arch::asm!("mrs {}, ctr_el0", out(reg) lines, options(pure, nomem, nostack, preserves_flags));
        let (data, code) = (4usize << (lines >> 16 & 15), 4usize << (lines & 15));
        for line in (start & !(data - 1)..start + SIZE).step_by(data) {
            core::arch::asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags));
        }
        core::arch::asm!("dsb ish", options(nostack, preserves_flags));
        for line in (start & !(code - 1)..start + SIZE).step_by(code) {
            core::arch::asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags));
        }
        core::arch::asm!("dsb ish", "isb", options(nostack, preserves_flags));
    }
}
