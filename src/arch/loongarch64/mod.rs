//! 64-bit LoongArch: the static chain is in t8.

pub(crate) mod adapters;

pub(crate) use crate::arch::kernel::*;
pub(crate) use statictramp_targets::stub::Encoding::Loongarch64 as ENCODING;

/// The distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 16;

// The thread pointer (LoongArch ELF psABI, section "Register Convention").
#[cfg(not(miri))]
crate::arch::thread_pointer!("move {}, $tp");

// The kernel changes a0 and the temporary registers.
crate::arch::system_call! { number [first second third fourth fifth sixth] result;
    "syscall 0",
    in("$a7") number, inlateout("$a0") first => result,
    in("$a1") second, in("$a2") third, in("$a3") fourth, in("$a4") fifth, in("$a5") sixth,
    lateout("$t0") _, lateout("$t1") _, lateout("$t2") _, lateout("$t3") _, lateout("$t4") _,
    lateout("$t5") _, lateout("$t6") _, lateout("$t7") _, lateout("$t8") _, options(nostack),
}

/// The instructions that load the PC-relative address of a symbol or label into operand 0.
macro_rules! address {
    ($symbol:expr) => {
        concat!("la.pcrel {0}, ", $symbol)
    };
}
pub(crate) use address;

/// The processor's instructions for `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "addi.d $sp, $sp, -16",
            ".cfi_def_cfa_offset 16",
            "st.d $ra, $sp, 8",
            ".cfi_offset 1, -8",
            "st.d $fp, $sp, 0",
            ".cfi_offset 22, -16",
            "addi.d $fp, $sp, 16",
            "move $a0, $t8",
            "call36 {diagnose}",
            "break 0",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

#[cfg(growing)]
crate::arch::debugger! {
    unit 4, breakpoints [0x05, 0x00, 0x2a, 0x00]; // break 5
    machine 258; function "ret" // EM_LOONGARCH, which the `libc` crate does not define
}

// A stub that contains its own static chain and entry.
#[cfg(feature = "scratch")]
crate::arch::scratch_stub! {
    align 8, code [
        0x1c00_0013, // pcaddu12i $t7, 0
        0x28c0_4274, // ld.d $t8, $t7, 16: the chain
        0x28c0_6273, // ld.d $t7, $t7, 24: the entry
        0x4c00_0260, // jr $t7
    ], words {chain entry};
    /// The hardware keeps the caches coherent (LoongArch Reference Manual, `IBAR`).
    |at, entry, chain| { core::arch::asm!("ibar 0", options(nostack, preserves_flags)) }
}
