//! 64-bit PowerPC, little-endian (ELFv2 ABI): the static chain is in r11. A function that is reached through a pointer,
//! for example from a stub, finds its own address in r12 and derives its image's r2 value from it (Power ELFv2 ABI,
//! section 2.3.2). The naked functions here do not depend on r2: they compute their jump target's address relative to
//! r12, and put that address into r12. Code that calls through a pointer restores its own r2.

pub(crate) mod adapters;

pub(crate) use crate::arch::kernel::*;
pub(crate) use statictramp_targets::stub::Encoding::Powerpc64 as ENCODING;

/// The distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 32;

// The thread pointer (Power ELFv2 ABI, section 2.2.2.1).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mr {}, 13");

// The kernel clobbers only call-clobbered (volatile) registers. If the call fails, the error number is positive and the
// summary overflow bit is set (the kernel's "Power Architecture 64-bit Linux system call ABI").
crate::arch::system_call! { number [first second third fourth fifth sixth] result;
    "sc",
    "bns 2f",
    "neg 3, 3",
    "2:",
    inlateout("r0") number => _, inlateout("r3") first => result, inlateout("r4") second => _,
    inlateout("r5") third => _, inlateout("r6") fourth => _, inlateout("r7") fifth => _, inlateout("r8") sixth => _,
    lateout("r9") _, lateout("r10") _, lateout("r11") _, lateout("r12") _,
    lateout("cr0") _, lateout("cr1") _, lateout("cr5") _, lateout("cr6") _, lateout("cr7") _, lateout("ctr") _,
    lateout("xer") _, options(nostack),
}

/// The processor's instructions for `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "77: addis 12, 12, ({diagnose} - 77b)@ha",
            "addi 12, 12, ({diagnose} - 77b)@l",
            "mflr 0",
            "std 0, 16(1)",
            "stdu 1, -32(1)",
            ".cfi_def_cfa_offset 32",
            ".cfi_offset lr, 16",
            "mr 3, 11",
            "mtctr 12",
            "bctrl",
            "trap",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

#[cfg(growing)]
crate::arch::debugger! {
    unit 4, breakpoints [0x08, 0x10, 0x82, 0x7d] [0x08, 0x00, 0xe0, 0x7f]; // gdb's `tw 12, 2, 2`, lldb's `trap`
    machine libc::EM_PPC64; function "blr"
}

// A stub that contains its own static chain and entry, like GCC's trampolines. r12 contains the stub's address.
#[cfg(feature = "scratch")]
crate::arch::scratch_stub! {
    align 8, code [
        0xe96c_0018, // ld 11, 24(12): the chain
        0xe98c_0010, // ld 12, 16(12): the entry
        0x7d89_03a6, // mtctr 12
        0x4e80_0420, // bctr
    ], words {entry chain};
    /// Power ISA, book II, section 1.8. Cache blocks are at least 32 bytes long, so each block that the stub touches
    /// contains the stub's first or last byte.
    |at, entry, chain| {
        core::arch::asm!(
            "dcbst 0, {first}",
            "dcbst 0, {last}",
            "sync",
            "icbi 0, {first}",
            "icbi 0, {last}",
            "sync",
            "isync",
            first = in(reg) at, last = in(reg) at.wrapping_byte_add(SIZE - 1),
            options(nostack, preserves_flags),
        );
    }
}
