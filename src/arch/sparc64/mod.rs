//! 64-bit SPARC (V9), big-endian: the static chain is in %g5. The stack pointer register contains an address 2047 bytes
//! below the actual top of the stack. The lowest 128 bytes of the stack are for the registers of the window, which the
//! kernel may store there at any time. The next 48 bytes are for the callee's first six arguments.

pub(crate) mod adapters;

pub(crate) use crate::arch::kernel::*;
pub(crate) use crate::arch::registers::__sparc64 as text;
pub(crate) use statictramp_targets::stub::Encoding::Sparc64 as ENCODING;

/// Distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 32;

/// The distance in bytes from the stack pointer to the seventh argument, which is at the end of the smallest frame.
const BEYOND_SIX: usize = 2047 + 128 + 48;

// The thread pointer (ELF Handling for Thread-Local Storage, section 3.4.6).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mov %g7, {0}");

/// Makes a Linux system call. Returns its result or a negated error number.
/// # Safety
/// Same as for the system call. In addition, the provenance of each pointer among the arguments must be exposed.
#[inline(always)]
pub(crate) unsafe fn system_call(number: usize, arguments: [usize; 6]) -> isize {
    let [first, second, third, mut fourth, mut fifth, sixth] = arguments;
    if number == libc::SYS_rt_sigaction as usize {
        (fourth, fifth) = (0, fourth); // here the size of the signal set is the fifth argument, after the restorer's address
    }
    // SAFETY: the caller upholds the safety contract.
    unsafe { enter_kernel(first, second, third, fourth, fifth, sixth, number) }
}

/// Makes a system call. This must be a function, because the kernel may change every floating-point register, and an
/// `asm!` block cannot declare all of them as clobbered. If the call fails, the carry flag is set and the error number
/// is positive.
/// # Safety
/// Same as for the system call.
#[unsafe(naked)]
unsafe extern "C" fn enter_kernel(
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _number: usize,
) -> isize {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "ldx [%sp + {number}], %g1",
        "ta 0x6d",
        "bcs,a,pn %xcc, 2f",
        "sub %g0, %o0, %o0", // only if the branch is taken
        "2: retl",
        "nop",
        ".cfi_endproc",
        number = const BEYOND_SIX,
    )
}

/// Instructions that compute the PC-relative address of a symbol or label into operand 0. They clobber %g1, which LLVM
/// reserves. Compiled functions keep no value in this register, and no operand can name it.
macro_rules! address {
    ($symbol:expr) => {
        concat!(
            "rd %pc, {0}\nsethi %pc22(",
            $symbol,
            " + 4), %g1\nor %g1, %pc10(",
            $symbol,
            " + 8), %g1\nsra %g1, 0, %g1\nadd {0}, %g1, {0}"
        )
    };
}
pub(crate) use address;

/// The processor's instructions for `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "save %sp, -176, %sp",
            ".cfi_window_save",
            ".cfi_def_cfa_register %fp",
            ".cfi_register %o7, %i7",
            "call {diagnose}",
            "mov %g5, %o0",
            "ta 5",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

#[cfg(growing)]
crate::arch::debugger! {
    unit 4, breakpoints [0x91, 0xd0, 0x20, 0x01]; // ta 1
    machine libc::EM_SPARCV9; function "retl\nnop"
}

// A stub that contains its own two words, like the trampolines that GCC writes.
#[cfg(feature = "scratch")]
crate::arch::scratch_stub! {
    align 8, code [
        0x8341_4000, // rd %pc, %g1
        0xca58_6018, // ldx [%g1 + 24], %g5: the entry
        0x81c1_4000, // jmp %g5
        0xca58_6010, // ldx [%g1 + 16], %g5: the chain, in the delay slot
    ], words {chain entry};
    /// One `flush` for each 8 bytes of code (SPARC Architecture Manual V9, section 8.4.5, "Self-Modifying Code").
    |at, entry, chain| { core::arch::asm!("flush {at}", "flush {at} + 8", at = in(reg) at, options(nostack, preserves_flags)) }
}
