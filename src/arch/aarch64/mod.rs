//! AArch64: the static chain is in x15, and also in x18 on platforms where that is an ordinary temporary.

pub(crate) mod adapters;
#[cfg(target_os = "linux")]
mod in_thread;
#[cfg(target_os = "macos")]
mod macos;
pub(crate) mod raw;
#[cfg(all(feature = "scratch", target_os = "linux"))]
pub(crate) mod scratch;

#[cfg(target_os = "linux")]
pub(crate) use crate::arch::kernel::*;

/// Distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 32;

/// Added to a stub's address to call it: nothing.
pub(crate) const CODE_BIT: usize = 0;

// The thread pointer (AAPCS64, section 6.1.2).
#[cfg(not(any(target_os = "none", target_os = "macos", miri)))]
crate::arch::thread_pointer!("mrs {}, tpidr_el0");

/// Makes a Linux system call; returns its result, or a negated error number.
/// # Safety
/// Same as for the system call; the provenance of each pointer among the arguments must be exposed.
#[cfg(target_os = "linux")]
#[inline(always)]
pub(crate) unsafe fn system_call(number: usize, arguments: [usize; 6]) -> isize {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let result: isize;
    // SAFETY: guaranteed by the caller; the kernel changes x0 and the bits of SVE registers above 128, which any
    // function may change.
    unsafe {
        core::arch::asm!(
            "svc #0",
            in("x8") number, inlateout("x0") first => result,
            in("x1") second, in("x2") third, in("x3") fourth, in("x4") fifth, in("x5") sixth,
            clobber_abi("C"), options(nostack),
        );
    }
    result
}

/// Instructions that compute the PC-relative address of a symbol or label into operand 0.
#[cfg(not(target_os = "macos"))]
macro_rules! address {
    ($symbol:expr) => {
        concat!("adrp {0}, ", $symbol, "\nadd {0}, {0}, :lo12:", $symbol)
    };
}
#[cfg(not(target_os = "macos"))]
pub(crate) use address;
#[cfg(target_os = "macos")]
pub(crate) use macos::{address, thread_pointer};

/// The address of a thread-local symbol for the running thread. Symbols contain the version (`build.rs`).
#[cfg(not(any(target_os = "none", target_os = "macos")))]
macro_rules! address_of_thread {
    ($symbol:literal) => {{
        let address: usize;
        // SAFETY: computes an address. The symbol's offset from the thread pointer never changes, nor does the thread
        // pointer within a thread. Not `pure`, for the reason given in `thread_pointer`.
        unsafe {
            core::arch::asm!(
                concat!("adrp {0}, :gottprel:", $crate::__symbol!($symbol)),
                concat!("ldr {0}, [{0}, :gottprel_lo12:", $crate::__symbol!($symbol), "]"),
                "mrs {1}, tpidr_el0",
                "add {0}, {0}, {1}",
                out(reg) address, out(reg) _, options(nomem, nostack, preserves_flags),
            );
        }
        address
    }};
}
#[cfg(not(any(target_os = "none", target_os = "macos")))]
pub(crate) use address_of_thread;

/// The instructions of `dead_procedure!`.
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
            "bl {diagnose}",
            "udf #0",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

/// Stops execution with a trap.
#[cfg(not(unix))]
pub(crate) fn trap() -> ! {
    // SAFETY: an undefined instruction.
    unsafe { core::arch::asm!("udf #0", options(noreturn, nomem, nostack)) }
}

#[cfg(all(growing, target_os = "linux"))]
crate::arch::debugger! {
    unit 4, breakpoints [0x00, 0x00, 0x20, 0xd4]; // brk #0
    machine libc::EM_AARCH64; function "hint #34\nret" // bti c
}

/// Maximum size of a stub's instructions in bytes.
#[cfg(target_os = "linux")]
pub(crate) const STUB_CODE: usize = 24;

/// Decodes the code at `address` as a stub of any copy of the library and returns the address of its slot. The code:
/// `adrp x16; add x16, x16; ldp x15, x17, [x16]; mov x18, x15; br x17`, with or without a landing pad. `None` if it is
/// not a stub.
#[cfg(target_os = "linux")]
pub(crate) fn decode_stub(code: &[u8], address: usize) -> Option<usize> {
    const LANDING_PAD: [u8; 4] = 0xd503_245fu32.to_le_bytes();
    let (code, address) = match code.strip_prefix(&LANDING_PAD) {
        Some(rest) => (rest, address + LANDING_PAD.len()),
        None => (code, address),
    };
    let [adrp, add, ldp, mov, br] = crate::arch::instructions(code)?;
    if adrp & 0x9f00_001f != 0x9000_0010 || add & 0xffc0_03ff != 0x9100_0210 {
        return None;
    }
    let pages = (adrp >> 5 & 0x7_ffff) << 2 | adrp >> 29 & 3;
    let distance = (pages << 11) as i32 as isize >> 11 << 12; // a signed 21-bit number of pages
    let slot = (address & !0xfff).wrapping_add_signed(distance).wrapping_add(add as usize >> 10 & 0xfff);
    ([ldp, mov, br] == [0xa940_460f, 0xaa0f_03f2, 0xd61f_0220]).then_some(slot)
}
