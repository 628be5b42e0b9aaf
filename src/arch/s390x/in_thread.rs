//! Thread-local words that pass a closure's address; `src/arch/in_thread.rs` describes the method. Between a caller and
//! its callee, only r0 and r1 are unused. The adapter therefore stores r2 to r5 in the 160-byte save area that every
//! caller provides at r15, and `pass` reloads them from this area (ELF ABI s390x Supplement, section "The Stack
//! Frame").
//!
//! The steps are the same as in `src/arch/aarch64/in_thread.rs`, which explains them.
//!
//! | register | holds |
//! |---|---|
//! | r0 | the closure's address, from the stub; in `take_pending` the passed address |
//! | r4 | the function to call, from the adapter |
//! | r5 | maximum size in bytes of the signature's stack arguments, from the adapter |
//! | r1 | the address of the thread-local words |
//! | r2, r3 | temporary; `pass` reloads r2 to r5 from the caller's save area before it jumps to the function |
//! | r11, r14 | used only in the slow path, which saves and restores them |
//! | r12 | temporary in `take_pending` |

use crate::arch::in_thread::{pending, take};
use crate::arch::read_thread_pointer;
use crate::arch::size_align::SizeAlign;

/// Returns the maximum size in bytes of the stack arguments. Each argument takes at most one word. If an argument is on
/// the stack, at least four others are in registers, since each kind of argument has at least four registers besides
/// the one for a pointer to the result.
pub(crate) const fn stack(arguments: &[SizeAlign]) -> usize {
    8 * arguments.len().saturating_sub(4)
}

macro_rules! jump_to_pass {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "stmg %r2, %r5, 16(%r15)",
            "larl %r4, {enter}",
            "lghi %r5, {stack}",
            "jg {pass}",
            ".cfi_endproc",
        )
    };
}
pub(crate) use jump_to_pass;

/// Passes r0 to the function whose address is in r4. r5 contains the maximum size in bytes of the stack arguments. The
/// caller's values of r2 to r5 are in the save area, where the adapter has stored them.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        read_thread_pointer!("%r1"),
        concat!("lgrl %r2, ", pending!(), "@indntpoff"),
        "agr %r1, %r2",
        "lg %r3, 0(%r1)",
        "ltgr %r3, %r3",
        "jne 2f",
        "stg %r0, 0(%r1)",
        "lgr %r1, %r4",
        "lmg %r2, %r5, 16(%r15)",
        "br %r1",
        "2: stmg %r11, %r15, 88(%r15)",
        ".cfi_offset %r11, -72",
        ".cfi_offset %r12, -64",
        ".cfi_offset %r13, -56",
        ".cfi_offset %r14, -48",
        ".cfi_offset %r15, -40",
        "lgr %r11, %r15",
        ".cfi_def_cfa_register %r11",
        "lg %r2, 8(%r1)",
        "aghi %r15, -16",
        "stg %r3, 0(%r15)", // the record
        "stg %r2, 8(%r15)",
        "lgr %r3, %r15",
        "la %r2, 160(%r5, %r11)",
        "3: ltgr %r5, %r5", // copies downwards, so that no guard page is skipped
        "je 4f",
        "aghi %r2, -8",
        "aghi %r15, -8",
        "mvc 0(8, %r15), 0(%r2)",
        "aghi %r5, -8",
        "j 3b",
        "4: aghi %r15, -160", // the save area for the callee
        "stg %r3, 8(%r1)", // stored before the address, so that a signal handler in between finds the previous address
        "stg %r0, 0(%r1)",
        "lgr %r1, %r4",
        "lmg %r2, %r5, 16(%r11)",
        "basr %r14, %r1",
        "lmg %r11, %r15, 88(%r11)",
        ".cfi_def_cfa %r15, 160",
        ".cfi_restore %r11",
        ".cfi_restore %r12",
        ".cfi_restore %r13",
        ".cfi_restore %r14",
        ".cfi_restore %r15",
        "br %r14",
        ".cfi_endproc",
    )
}

/// Returns the passed address in r0 and restores the previous contents of the thread-local words. Clobbers r1 and r12.
#[unsafe(naked)]
extern "C" fn take_pending() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        read_thread_pointer!("%r1"),
        concat!("lgrl %r12, ", pending!(), "@indntpoff"),
        "agr %r1, %r12",
        "lg %r0, 0(%r1)",
        "lg %r12, 8(%r1)",
        "ltgr %r12, %r12",
        "jne 2f",
        "mvghi 0(%r1), 0",
        "br %r14",
        "2: mvc 8(8, %r1), 8(%r12)",
        "mvc 0(8, %r1), 0(%r12)",
        "br %r14",
        ".cfi_endproc",
    )
}

take!("brasl %r14, {take}" => "r0", changing "r1" "r12" "r14");
