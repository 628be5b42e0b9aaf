//! 32-bit PowerPC, big-endian (System V ABI, PowerPC Processor Supplement): the static chain is in r11. The naked
//! functions for this processor do not depend on r30, which belongs to the caller, because their jump targets are in
//! the same image.

pub(crate) mod adapters;
mod in_thread;
#[cfg(feature = "scratch")]
pub(crate) mod scratch;

pub(crate) use crate::arch::kernel::*;

/// Distance in bytes from one stub to the next. It is a power of two, so that an address can be checked with a mask.
pub(crate) const STUB_STRIDE: usize = 64;

/// The bits that are added to a stub's address to obtain the address to call. There are none on this processor.
pub(crate) const CODE_BIT: usize = 0;

// The thread pointer (System V ABI, PowerPC Processor Supplement, "Registers": r2 is reserved for the system).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mr {}, 2");

/// Makes a Linux system call. Returns its result or a negated error number.
/// # Safety
/// Same as for the system call. In addition, the provenance of each pointer among the arguments must be exposed.
#[cfg(target_os = "linux")]
#[inline(always)]
pub(crate) unsafe fn system_call(number: usize, arguments: [usize; 6]) -> isize {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let result: isize;
    // SAFETY: the caller upholds the safety contract. The kernel changes only registers that a function may change. If
    // the call fails, the error number is positive and the summary overflow bit is set (the kernel documents this for
    // 64 bits in "Power Architecture 64-bit Linux system call ABI").
    unsafe {
        core::arch::asm!(
            "sc",
            "bns 2f",
            "neg 3, 3",
            "2:",
            inlateout("r0") number => _, inlateout("r3") first => result, inlateout("r4") second => _,
            inlateout("r5") third => _, inlateout("r6") fourth => _, inlateout("r7") fifth => _, inlateout("r8") sixth => _,
            lateout("r9") _, lateout("r10") _, lateout("r11") _, lateout("r12") _,
            lateout("cr0") _, lateout("cr1") _, lateout("cr5") _, lateout("cr6") _, lateout("cr7") _, lateout("ctr") _,
            lateout("xer") _, options(nostack),
        );
    }
    result
}

/// The counterpart of `here!` (`address.rs`) for naked functions. Stores the address of label 77 in r12, and the return
/// address in r0. The link register keeps the return address.
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

/// Size of a stub's instructions in bytes.
pub(crate) const STUB_CODE: usize = 36;

/// Decodes the code at `address` as a stub of any copy of the library and returns the address of its slot. A stub
/// consists of `mflr 0; bcl; mflr 12; mtlr 0; addis 12, 12; lwzu 11, (12); lwz 12, 4(12); mtctr 12; bctr`. Returns
/// `None` if the code is not a stub.
pub(crate) fn decode_stub(code: &[u8], address: usize) -> Option<usize> {
    let [begin @ .., addis, lwzu, load, mtctr, bctr]: [u32; 9] = crate::arch::instructions(code)?;
    let begin: [u32; 4] = begin;
    if addis & 0xffff_0000 != 0x3d8c_0000 || lwzu & 0xffff_0000 != 0x856c_0000 {
        return None;
    }
    let distance = ((addis as i16 as isize) << 16).wrapping_add(lwzu as i16 as isize);
    let is_stub = begin == [0x7c08_02a6, 0x429f_0005, 0x7d88_02a6, 0x7c08_03a6]
        && [load, mtctr, bctr] == [0x818c_0004, 0x7d89_03a6, 0x4e80_0420];
    is_stub.then_some(address.wrapping_add(8).wrapping_add_signed(distance))
}
