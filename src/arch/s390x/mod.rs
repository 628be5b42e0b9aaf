//! s390x: the static chain travels in r0. The only processor here that is big-endian.

pub(crate) mod adapters;
#[cfg(target_os = "linux")]
mod in_thread;
pub(crate) mod raw;
#[cfg(all(feature = "scratch", target_os = "linux"))]
pub(crate) mod scratch;

/// Bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 16;

/// The address of a stub is called as it is.
pub(crate) const CODE_BIT: usize = 0;

/// The instructions that put the thread pointer into a register: its halves are in two access registers (ELF ABI s390x
/// Supplement, section "Thread-Local Storage"). They leave the condition code as it is.
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

// The thread pointer.
#[cfg(not(any(target_os = "none", miri)))]
crate::arch::thread_pointer!(read_thread_pointer!("{0}"));

/// Makes a system call of Linux: the result, or an error's number, negated.
///
/// # Safety
/// As for the call; a pointer among the arguments has its provenance exposed.
#[cfg(target_os = "linux")]
#[inline(always)]
pub(crate) unsafe fn system_call(number: usize, arguments: [usize; 6]) -> isize {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let result: isize;
    // SAFETY: the caller's promise; the kernel changes r2 alone.
    unsafe {
        core::arch::asm!(
            "svc 0",
            in("r1") number, inlateout("r2") first => result,
            in("r3") second, in("r4") third, in("r5") fourth, in("r6") fifth, in("r7") sixth, options(nostack),
        );
    }
    result
}

/// The instruction that computes the address of a symbol or label, relative to the program counter, for the operand 0. It
/// lies at an even address.
macro_rules! address {
    ($symbol:expr) => {
        concat!("larl {0}, ", $symbol)
    };
}
pub(crate) use address;

/// The address of a symbol of the running thread's own storage. Symbols carry the version, as `build.rs` says.
#[cfg(not(target_os = "none"))]
macro_rules! address_of_thread {
    ($symbol:literal) => {{
        let address: usize;
        // SAFETY: computes an address. The symbol's offset from the thread pointer never changes, nor does that within a
        // thread. Not `pure`, as of `thread_pointer`.
        unsafe {
            core::arch::asm!(
                concat!("lgrl {0}, ", $crate::__symbol!($symbol), "@indntpoff"),
                $crate::arch::read_thread_pointer!("{1}"),
                "agr {0}, {1}",
                out(reg) address, out(reg) _, options(nomem, nostack),
            );
        }
        address
    }};
}
#[cfg(not(target_os = "none"))]
pub(crate) use address_of_thread;

/// The instructions of `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "stmg %r14, %r15, 112(%r15)", // their places in what the caller provides
            ".cfi_offset %r14, -48",
            ".cfi_offset %r15, -40",
            "aghi %r15, -160", // the same for the diagnosis
            ".cfi_def_cfa_offset 320",
            "lgr %r2, %r0",
            "brasl %r14, {diagnose}",
            ".short 0",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

/// Ends whatever runs here.
#[cfg(not(unix))]
pub(crate) fn trap() -> ! {
    // SAFETY: an undefined instruction.
    unsafe { core::arch::asm!(".short 0", options(noreturn, nomem, nostack)) }
}

#[cfg(growing)]
crate::arch::debugger! {
    unit 2, breakpoints [0, 1]; // no instruction
    machine libc::EM_S390; function "br %r14"
}

/// Bytes of a stub's instructions.
#[cfg(target_os = "linux")]
pub(crate) const STUB_CODE: usize = 14;

/// Where the slot of a stub of any copy is, whose code this is at `address`: `lgrl %r0; lgrl %r1; br %r1`, the second
/// loading the word after that of the first. `None` if this is no stub.
#[cfg(target_os = "linux")]
pub(crate) fn decode_stub(code: &[u8], address: usize) -> Option<usize> {
    let loaded = |opcode: [u8; 2], at: usize| {
        let distance = code.get(at..)?.strip_prefix(&opcode)?.first_chunk()?;
        let half_words = i32::from_be_bytes(*distance);
        Some(address.wrapping_add(at).wrapping_add_signed(2 * half_words as isize))
    };
    let (slot, entry) = (loaded([0xc4, 0x08], 0)?, loaded([0xc4, 0x18], 6)?);
    (entry == slot.wrapping_add(8) && code.get(12..14)? == [0x07, 0xf1]).then_some(slot)
}
