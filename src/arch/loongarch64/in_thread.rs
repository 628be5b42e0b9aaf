//! Thread-local words that pass a closure's address: see `src/arch/in_thread.rs`.

use crate::arch::in_thread::pending;
pub(crate) use crate::arch::shape::stack_beyond_eight as stack;

macro_rules! in_thread {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "la.pcrel $t4, {enter}",
            "li.w $t5, {stack}",
            "tail36 $t7, {pass}",
            ".cfi_endproc",
            enter = sym $enter,
            stack = const arch::stack($arguments),
            pass = sym arch::pass,
        )
    };
}
pub(crate) use in_thread;

/// Passes t8 to the function at t4; t5 has the maximum size in bytes of the stack arguments.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        concat!("la.tls.ie $t1, ", pending!()),
        "add.d $t1, $t1, $tp",
        "ld.d $t3, $t1, 0",
        "bnez $t3, 2f",
        "st.d $t8, $t1, 0",
        "jr $t4",
        "2: addi.d $sp, $sp, -32",
        ".cfi_def_cfa_offset 32",
        "st.d $ra, $sp, 24",
        "st.d $fp, $sp, 16",
        ".cfi_offset 1, -8",
        ".cfi_offset 22, -16",
        "addi.d $fp, $sp, 32",
        ".cfi_def_cfa 22, 0",
        "ld.d $t0, $t1, 8",
        "st.d $t3, $sp, 0", // the record
        "st.d $t0, $sp, 8",
        "move $t3, $sp",
        "add.d $t6, $fp, $t5",
        "3: beqz $t5, 4f", // downwards, so that no guard page is skipped
        "addi.d $t6, $t6, -16",
        "addi.d $sp, $sp, -16",
        "ld.d $t0, $t6, 8",
        "st.d $t0, $sp, 8",
        "ld.d $t0, $t6, 0",
        "st.d $t0, $sp, 0",
        "addi.d $t5, $t5, -16",
        "b 3b",
        "4: st.d $t3, $t1, 8", // before the address: a signal handler in between still finds the previous address
        "st.d $t8, $t1, 0",
        "jirl $ra, $t4, 0",
        "addi.d $sp, $fp, -32",
        ".cfi_def_cfa 3, 32",
        "ld.d $ra, $sp, 24",
        "ld.d $fp, $sp, 16",
        ".cfi_restore 1",
        ".cfi_restore 22",
        "addi.d $sp, $sp, 32",
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
        concat!("la.tls.ie $t1, ", pending!()),
        "add.d $t1, $t1, $tp",
        "ld.d $t0, $t1, 0",
        "ld.d $t3, $t1, 8",
        "bnez $t3, 2f",
        "st.d $zero, $t1, 0",
        "ret",
        "2: ld.d $t4, $t3, 0",
        "ld.d $t5, $t3, 8",
        "st.d $t5, $t1, 8",
        "st.d $t4, $t1, 0",
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
            "call36 {take}",
            take = sym take_pending,
            out("$t0") passed, out("$t1") _, out("$t3") _, out("$t4") _, out("$t5") _, out("$ra") _,
        );
    }
    core::ptr::with_exposed_provenance(passed)
}
