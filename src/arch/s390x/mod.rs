//! s390x, big-endian: the static chain is in r0.

pub(crate) mod adapters;

pub(crate) use crate::arch::kernel::*;
pub(crate) use statictramp_targets::stub::Encoding::S390x as ENCODING;

/// The distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 16;

/// Expands to instructions that load the thread pointer into a register. The halves of the pointer are in two access
/// registers (ELF ABI s390x Supplement, section "Thread-Local Storage"). The instructions preserve the condition code.
macro_rules! read_thread_pointer {
    ($register:literal) => {
        concat!(
            "ear ",
            $register,
            ", %a0\nsllg ",
            $register,
            ", ",
            $register,
            ", 32\near ",
            $register,
            ", %a1"
        )
    };
}
pub(crate) use read_thread_pointer;

// Defines `thread_pointer`.
#[cfg(not(miri))]
crate::arch::thread_pointer!(read_thread_pointer!("{0}"));

// The kernel changes only r2.
crate::arch::system_call! { number [first second third fourth fifth sixth] result;
    "svc 0",
    in("r1") number, inlateout("r2") first => result,
    in("r3") second, in("r4") third, in("r5") fourth, in("r6") fifth, in("r7") sixth, options(nostack),
}

/// The instruction that loads the PC-relative address of a symbol or label into operand 0. The address must be even.
macro_rules! address {
    ($symbol:expr) => {
        concat!("larl {0}, ", $symbol)
    };
}
pub(crate) use address;

/// Makes the `mmap` system call, which takes a single argument here: a pointer to the six arguments. Returns its
/// result, or a negated error number.
///
/// # Safety
/// Same as for `mmap(2)`.
#[inline(always)]
pub(crate) unsafe fn map(arguments: [usize; 6]) -> isize {
    // SAFETY: the caller upholds the safety contract.
    unsafe { system_call(libc::SYS_mmap as usize, [arguments.as_ptr().expose_provenance(), 0, 0, 0, 0, 0]) }
}

/// The processor's instructions for `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "stmg %r14, %r15, 112(%r15)", // saves the registers at their positions in the caller's save area
            ".cfi_offset %r14, -48",
            ".cfi_offset %r15, -40",
            "aghi %r15, -160", // the save area for the diagnosis
            ".cfi_def_cfa_offset 320",
            "lgr %r2, %r0",
            "brasl %r14, {diagnose}",
            ".short 0",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

#[cfg(growing)]
crate::arch::debugger! {
    unit 2, breakpoints [0x00, 0x01]; // an invalid instruction
    machine libc::EM_S390; function "br %r14"
}

// A stub that contains its own static chain and entry.
#[cfg(feature = "scratch")]
crate::arch::scratch_stub! {
    align 2, code [
        0x0d10_eb01, // basr %r1, 0; lmg %r0, %r1, 14(%r1): the chain, at + 16, and the entry, at + 24
        0x100e_0004,
        0x07f1_0000, // br %r1
        0,
    ], words {chain entry};
    /// A processor always sees its own earlier stores to code (z/Architecture Principles of Operation, section
    /// "Conceptual Sequence"). Another processor sees them after any serializing operation, such as an atomic exchange.
    |at, entry, chain| {}
}
