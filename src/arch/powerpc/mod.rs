//! 32-bit PowerPC, big-endian (System V ABI, PowerPC Processor Supplement): the static chain is in r11. r30 belongs to
//! the caller. The naked functions here do not need it, because their jump targets are in the same image.

pub(crate) mod adapters;

pub(crate) use crate::arch::kernel::*;
pub(crate) use statictramp_targets::stub::Encoding::Powerpc as ENCODING;

/// The distance in bytes from one stub to the next. It is a power of two, so that an address can be checked with a mask.
pub(crate) const STUB_STRIDE: usize = 64;

// The thread pointer (System V ABI, PowerPC Processor Supplement, "Registers": r2 is reserved for the system).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mr {}, 2");

// The kernel clobbers only call-clobbered (volatile) registers. If the call fails, the error number is positive and the
// summary overflow bit is set (documented for 64-bit PowerPC in the kernel's "Power Architecture 64-bit Linux system
// call ABI").
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

/// The counterpart of `here!` (`address.rs`) for naked functions. Stores the address of label 77 in r12, and the return
/// address in r0. The link register also keeps the return address.
macro_rules! here_naked {
    () => {
        "mflr 0\n.cfi_register lr, r0\nbcl 20, 31, 77f\n77: mflr 12\nmtlr 0\n.cfi_restore lr"
    };
}
pub(crate) use here_naked;

/// The processor's instructions for `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "mflr 0",
            "stw 0, 4(1)",
            "stwu 1, -16(1)",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset lr, 4",
            "mr 3, 11",
            "bl {diagnose}",
            "trap",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

#[cfg(growing)]
crate::arch::debugger! {
    unit 4, breakpoints [0x7d, 0x82, 0x10, 0x08] [0x7f, 0xe0, 0x00, 0x08]; // gdb's `tw 12, 2, 2`, lldb's `trap`
    machine libc::EM_PPC; function "blr"
}

#[cfg(feature = "scratch")]
pub(crate) mod scratch {
    //! A stub that contains its own static chain and entry as immediates:
    //! ```text
    //!   lis   12, entry@h
    //!   ori   12, 12, entry@l
    //!   mtctr 12
    //!   lis   11, chain@h
    //!   ori   11, 11, chain@l
    //!   bctr
    //! ```

    pub(crate) const SIZE: usize = 24;
    pub(crate) const ALIGN: usize = 4;

    /// Writes the stub and makes it visible to instruction fetches by every processor (Power ISA, book II, section
    /// 1.8). Cache blocks are at least 16 bytes long, so each block that the stub touches contains the stub's first
    /// byte, its byte at offset 16, or its last byte.
    /// # Safety
    /// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
    pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
        let (entry, chain) = (entry.expose_provenance() as u32, chain.expose_provenance() as u32);
        let code = [
            0x3d80_0000 | entry >> 16,
            0x618c_0000 | entry & 0xffff,
            0x7d89_03a6,
            0x3d60_0000 | chain >> 16,
            0x616b_0000 | chain & 0xffff,
            0x4e80_0420,
        ];
        // SAFETY: the caller upholds the safety contract. The cache instructions do not modify memory.
        unsafe {
            at.cast::<[u32; 6]>().write(code);
            core::arch::asm!(
                "dcbst 0, {first}",
                "dcbst 0, {middle}",
                "dcbst 0, {last}",
                "sync",
                "icbi 0, {first}",
                "icbi 0, {middle}",
                "icbi 0, {last}",
                "sync",
                "isync",
                first = in(reg) at, middle = in(reg) at.wrapping_byte_add(16), last = in(reg) at.wrapping_byte_add(SIZE - 1),
                options(nostack, preserves_flags),
            );
        }
    }
}
