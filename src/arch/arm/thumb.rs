//! Thumb: the static chain travels in r12.

/// Bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = if cfg!(thumb1) { 20 } else { 16 };

/// Set in an address that is called: the code is Thumb.
pub(crate) const CODE_BIT: usize = 1;

/// The address of a hidden symbol of the assembly, of which there is one image. Symbols carry
/// the version, as `build.rs` says.
macro_rules! address_of {
    ($symbol:literal) => {{
        unsafe extern "C" {
            #[link_name = $crate::__symbol!($symbol)]
            static SYMBOL: u8;
        }
        &raw const SYMBOL
    }};
}
pub(crate) use address_of;

/// The instructions of `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".fnstart",
            ".cfi_startproc",
            "push {{r7, lr}}",
            ".cfi_def_cfa_offset 8",
            ".cfi_offset lr, -4",
            ".cfi_offset r7, -8",
            "mov r7, sp",
            "mov r0, r12",
            "bl {diagnose}",
            "udf #0",
            ".cfi_endproc",
            ".cantunwind", // would want a personality routine, which boards do not have
            ".fnend",
        )
    };
}
pub(crate) use call_diagnosis;

/// Ends whatever runs here.
pub(crate) fn trap() -> ! {
    // SAFETY: an undefined instruction.
    unsafe { core::arch::asm!("udf #0", options(noreturn, nomem, nostack)) }
}

/// Whether an exchange of other code may be under way here. If an exchange is a critical section, it does not exclude two kinds
/// of code: the handler of the non-maskable interrupt (Armv6-M ARM, B1.4.2: exception 2), and an unprivileged thread, whose
/// `cpsid` has no effect (B4.2.1).
///
/// CONTROL.nPRIV is the thread's, also while a handler runs, which always has privilege. A thread without privilege reads
/// IPSR as 0, its value in any thread.
#[cfg(not(target_has_atomic = "ptr"))]
pub(crate) fn no_exchange_here() -> bool {
    const THREAD: usize = 0;
    const NON_MASKABLE: usize = 2;
    const UNPRIVILEGED: usize = 1;
    let (exception, control): (usize, usize);
    // SAFETY: reads two registers.
    unsafe {
        core::arch::asm!("mrs {}, IPSR", "mrs {}, CONTROL", out(reg) exception, out(reg) control, options(nomem, nostack, preserves_flags));
    }
    match exception & 0x3f {
        THREAD => control & UNPRIVILEGED != 0,
        exception => exception == NON_MASKABLE,
    }
}
