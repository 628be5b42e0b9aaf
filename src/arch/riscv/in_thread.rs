//! Thread-local words that pass a closure's address: see `src/arch/in_thread.rs`.

use crate::arch::in_thread::pending;
pub(crate) use crate::arch::shape::stack_beyond_eight as stack;

/// Whether thread-local words are available for passing a closure's address.
pub(crate) const HAS_THREAD_WORDS: bool = true;

macro_rules! in_thread {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "lla t4, {enter}",
            "li t5, {stack}",
            "tail {pass}",
            ".cfi_endproc",
            enter = sym $enter,
            stack = const arch::stack($arguments),
            pass = sym arch::pass,
        )
    };
}
pub(crate) use in_thread;

/// Passes t2 to the function at t4; t5 has the maximum size in bytes of the stack arguments.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        concat!("la.tls.ie t1, ", pending!()),
        "add t1, t1, tp",
        "ld t3, 0(t1)",
        "bnez t3, 2f",
        "sd t2, 0(t1)",
        "jr t4",
        "2: addi sp, sp, -32",
        ".cfi_def_cfa_offset 32",
        "sd ra, 24(sp)",
        "sd s0, 16(sp)",
        ".cfi_offset ra, -8",
        ".cfi_offset s0, -16",
        "addi s0, sp, 32",
        ".cfi_def_cfa s0, 0",
        "ld t0, 8(t1)",
        "sd t3, 0(sp)", // the record
        "sd t0, 8(sp)",
        "mv t3, sp",
        "add t6, s0, t5",
        "3: beqz t5, 4f", // downwards, so that no guard page is skipped
        "addi t6, t6, -16",
        "addi sp, sp, -16",
        "ld t0, 8(t6)",
        "sd t0, 8(sp)",
        "ld t0, 0(t6)",
        "sd t0, 0(sp)",
        "addi t5, t5, -16",
        "j 3b",
        "4: sd t3, 8(t1)", // before the address: a signal handler in between still finds the previous address
        "sd t2, 0(t1)",
        "jalr t4",
        "addi sp, s0, -32",
        ".cfi_def_cfa sp, 32",
        "ld ra, 24(sp)",
        "ld s0, 16(sp)",
        ".cfi_restore ra",
        ".cfi_restore s0",
        "addi sp, sp, 32",
        ".cfi_def_cfa_offset 0",
        "ret",
        ".cfi_endproc",
    )
}

/// Returns the passed address in t0 and restores the previous contents of the words; clobbers t1 and t3 to t5.
#[unsafe(naked)]
extern "C" fn take_pending() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        concat!("la.tls.ie t1, ", pending!()),
        "add t1, t1, tp",
        "ld t0, 0(t1)",
        "ld t3, 8(t1)",
        "bnez t3, 2f",
        "sd zero, 0(t1)",
        "ret",
        "2: ld t4, 0(t3)",
        "ld t5, 8(t3)",
        "sd t5, 8(t1)",
        "sd t4, 0(t1)",
        "ret",
        ".cfi_endproc",
    )
}

/// Takes the address that was passed to the function; must be the first thing that the function does.
#[inline(always)]
pub(crate) fn take<H>() -> *const H {
    let passed: usize;
    // SAFETY: changes only the listed registers, and the words, which belong to this library.
    unsafe {
        core::arch::asm!(
            "call {take}",
            take = sym take_pending,
            out("t0") passed, out("t1") _, out("t3") _, out("t4") _, out("t5") _, out("ra") _,
        );
    }
    core::ptr::with_exposed_provenance(passed)
}
