//! PowerPC of 32 bits, big-endian (System V ABI, PowerPC Processor Supplement): the static chain travels in r11.
//!
//! Naked functions here do not depend on r30, which is the caller's: what they jump to lies in the same image.

pub(crate) mod adapters;
mod in_thread;
pub(crate) mod raw;
#[cfg(feature = "scratch")]
pub(crate) mod scratch;

/// Bytes from one stub to the next; a power of two, so that an address is checked with a mask.
pub(crate) const STUB_STRIDE: usize = 64;

/// The address of a stub is called as it is.
pub(crate) const CODE_BIT: usize = 0;

// The thread pointer (System V ABI, PowerPC Processor Supplement, "Registers": r2 is the system's).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mr {}, 2");

/// Makes a system call of Linux: the result, or an error's number, negated.
///
/// # Safety
/// As for the call; a pointer among the arguments has its provenance exposed.
#[cfg(target_os = "linux")]
#[inline(always)]
pub(crate) unsafe fn system_call(number: usize, arguments: [usize; 6]) -> isize {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let result: isize;
    // SAFETY: the caller's promise; the kernel changes what a function may change. An error's number is positive, and the
    // summary overflow bit is set (as the kernel documents for 64 bits: "Power Architecture 64-bit Linux system call ABI").
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

/// What `here!` does (`address.rs`), in a naked function: into r12, while r0 has what was in the link register.
macro_rules! here_naked {
    () => {
        "mflr 0\n.cfi_register lr, r0\nbcl 20, 31, 77f\n77: mflr 12\nmtlr 0\n.cfi_restore lr"
    };
}
pub(crate) use here_naked;

/// The address of a symbol of the running thread's own storage. Symbols carry the version, as `build.rs` says.
macro_rules! address_of_thread {
    ($symbol:literal) => {{
        let address: usize;
        // SAFETY: computes an address. The symbol's offset from the thread pointer never changes, nor does that within a
        // thread. Not `pure`, as of `thread_pointer`.
        unsafe {
            core::arch::asm!(
                $crate::arch::here!(),
                "addis {0}, {0}, (_GLOBAL_OFFSET_TABLE_ - 77b)@ha",
                "addi {0}, {0}, (_GLOBAL_OFFSET_TABLE_ - 77b)@l",
                concat!("lwz {0}, ", $crate::__symbol!($symbol), "@got@tprel({0})"),
                concat!("add {0}, {0}, ", $crate::__symbol!($symbol), "@tls"),
                out(reg_nonzero) address, out("lr") _, options(nomem, nostack, preserves_flags),
            );
        }
        address
    }};
}
pub(crate) use address_of_thread;

/// The instructions of `dead_procedure!`.
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
    unit 4, breakpoints 0x7d82_1008u32.to_be_bytes(), 0x7fe0_0008u32.to_be_bytes(); // gdb's `tw 12, 2, 2`, lldb's `trap`
    machine libc::EM_PPC; function "blr"
}

/// Bytes of a stub's instructions.
pub(crate) const STUB_CODE: usize = 36;

/// Where the slot of a stub of any copy is, whose code this is at `address`: `mflr 0; bcl; mflr 12; mtlr 0; addis 12, 12;
/// lwzu 11, (12); lwz 12, 4(12); mtctr 12; bctr`. `None` if this is no stub.
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
