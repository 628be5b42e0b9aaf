//! Arm on boards, in Thumb code: the static chain is in r12.

pub(crate) mod adapters;

/// The distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = if cfg!(thumb1) { 20 } else { 16 };

/// Computes the address of a hidden symbol in the assembly. A program on a board is one image, so the compiler may
/// refer to the symbol directly. The symbol's name contains the library's version (`build.rs`).
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

/// The processor's instructions for `dead_procedure!`. At the trap, r0 contains the slot's number, and r1 and lr both
/// contain the caller's return address.
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
            "mov r1, lr",
            "bl {diagnose}",
            "ldr r1, [sp, #4]",
            "mov lr, r1",
            "udf #0",
            ".cfi_endproc",
            ".cantunwind", // unwinding would need a personality routine, and boards have none
            ".fnend",
        )
    };
}
pub(crate) use call_diagnosis;

/// Stops execution with a trap.
pub(crate) fn trap() -> ! {
    // SAFETY: the instruction is undefined, so it traps and execution does not continue.
    unsafe { core::arch::asm!("udf #0", options(noreturn, nomem, nostack)) }
}

/// Returns whether an exchange is unsafe here: it might interrupt another exchange, or be interrupted by one. A
/// critical section does not exclude two kinds of code: NMI and HardFault handlers, because PRIMASK does not mask them
/// (Armv6-M ARM, B1.4.2: exceptions 2 and 3), and unprivileged threads, because `cpsid` has no effect there (B4.2.1).
/// CONTROL.nPRIV describes Thread mode even while a handler runs, but handlers are always privileged. In Thread mode,
/// IPSR is 0, and unprivileged reads of IPSR return 0, so 0 always means Thread mode.
#[cfg(not(target_has_atomic = "ptr"))]
pub(crate) fn no_exchange_here() -> bool {
    const THREAD: usize = 0;
    const HARD_FAULT: usize = 3;
    const UNPRIVILEGED: usize = 1;
    let (exception, control): (usize, usize);
    // SAFETY: the instructions only read two registers.
    unsafe {
        core::arch::asm!("mrs {}, IPSR", "mrs {}, CONTROL", out(reg) exception, out(reg) control, options(nomem, nostack, preserves_flags));
    }
    match exception & 0x1ff {
        THREAD => control & UNPRIVILEGED != 0,
        exception => exception <= HARD_FAULT,
    }
}
