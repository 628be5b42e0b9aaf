//! 32-bit and 64-bit RISC-V: the static chain is in t2.

pub(crate) mod adapters;

#[cfg(target_os = "linux")]
pub(crate) use crate::arch::kernel::*;
#[cfg(target_os = "linux")]
pub(crate) use statictramp_targets::stub::Encoding::Riscv64 as ENCODING;

/// The distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 32;

// The thread pointer (RISC-V ELF psABI, chapter "Register Convention").
#[cfg(not(any(target_os = "none", miri)))]
crate::arch::thread_pointer!("mv {}, tp");

// The kernel clobbers only call-clobbered (volatile) registers: a0 and the vector registers.
#[cfg(target_os = "linux")]
crate::arch::system_call! { number [first second third fourth fifth sixth] result;
    "ecall",
    in("a7") number, inlateout("a0") first => result,
    in("a1") second, in("a2") third, in("a3") fourth, in("a4") fifth, in("a5") sixth,
    clobber_abi("C"), options(nostack),
}

/// The pseudo-instruction that loads the PC-relative address of a symbol or label into operand 0.
macro_rules! address {
    ($symbol:expr) => {
        concat!("lla {0}, ", $symbol)
    };
}
pub(crate) use address;

/// The mnemonic of the instruction that stores a register.
#[cfg(target_arch = "riscv64")]
macro_rules! store {
    () => {
        "sd"
    };
}
#[cfg(target_arch = "riscv32")]
macro_rules! store {
    () => {
        "sw"
    };
}

pub(crate) use store;

/// The mnemonic of the instruction that loads a register.
#[cfg(target_arch = "riscv64")]
macro_rules! load {
    () => {
        "ld"
    };
}
#[cfg(target_arch = "riscv32")]
macro_rules! load {
    () => {
        "lw"
    };
}

pub(crate) use load;

/// The processor's instructions for `dead_procedure!`. At the trap (reached only on boards), a0 contains the slot's
/// number, and a1 and ra both contain the caller's return address.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "addi sp, sp, -16",
            ".cfi_def_cfa_offset 16",
            concat!($crate::arch::store!(), " ra, 8(sp)"),
            ".cfi_offset ra, -8",
            concat!($crate::arch::store!(), " s0, 0(sp)"),
            ".cfi_offset s0, -16",
            "addi s0, sp, 16",
            "mv a0, t2",
            "mv a1, ra",
            "call {diagnose}",
            concat!($crate::arch::load!(), " ra, 8(sp)"),
            "mv a1, ra",
            "unimp",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

/// Stops execution with a trap.
#[cfg(not(unix))]
pub(crate) fn trap() -> ! {
    // SAFETY: the instruction is undefined, so it traps and execution does not continue.
    unsafe { core::arch::asm!("unimp", options(noreturn, nomem, nostack)) }
}

#[cfg(growing)]
crate::arch::debugger! {
    unit 2, breakpoints [0x73, 0x00, 0x10, 0x00] [0x02, 0x90]; // ebreak, c.ebreak
    machine libc::EM_RISCV; function "ret"
}

// A stub that contains its own static chain and entry, on 64-bit Linux.
#[cfg(all(feature = "scratch", target_os = "linux"))]
crate::arch::scratch_stub! {
    align 8, code [
        0x0000_0317, // auipc t1, 0
        0x0103_3383, // ld t2, 16(t1): the chain
        0x0183_3303, // ld t1, 24(t1): the entry
        0x0003_0067, // jr t1
    ], words {chain entry};
    /// The `riscv_flush_icache` system call affects every hart that runs this process, whereas `fence.i` affects only
    /// the hart that executes it.
    |at, entry, chain| {
        const FLUSH: usize = 259;
        let (start, end) = (at.expose_provenance(), at.addr() + SIZE);
        super::system_call(FLUSH, [start, end, 0, 0, 0, 0]);
    }
}
