//! Thread-local words that pass a closure's address; `src/arch/in_thread.rs` describes the method.
//!
//! The steps are the same as in `src/arch/aarch64/in_thread.rs`, which explains them.
//!
//! | register | holds |
//! |---|---|
//! | r4 | the closure's address, from the adapter, which copies it from r12 |
//! | r5 | the function to call, from the adapter |
//! | r6 | maximum size in bytes of the signature's stack arguments, from the adapter |
//! | r12 | the address of the thread-local words |
//! | r0, r7, lr | temporary; the fast path restores r0, r4 to r7 and lr before it jumps to the function. The slow path restores r0 before it calls the function, and r4 to r7 afterwards |
//!
//! All other registers, including the argument registers, keep their values.

use crate::arch::in_thread::{pending, take};
use crate::arch::size_align::SizeAlign;

/// Returns the maximum size in bytes of the stack arguments, given that at least three words of the arguments are in
/// registers.
pub(crate) const fn stack(arguments: &[SizeAlign]) -> usize {
    let (mut words, mut i) = (1usize, 0); // one word is the pointer to a result in memory
    while i < arguments.len() {
        words += arguments[i].words() + (arguments[i].align > 4) as usize;
        i += 1;
    }
    (4 * words.saturating_sub(3)).next_multiple_of(8)
}

/// Expands to the adapter's instructions, which push four registers. `pass` restores these registers.
macro_rules! jump_to_pass {
    () => {
        $crate::arch::lines!(
            ".fnstart",
            "push {{r4, r5, r6, lr}}",
            ".save {{r4, r5, r6, lr}}",
            "mov r4, r12",
            "ldr r5, 3f",
            "2: add r5, pc, r5",
            "ldr r6, 4f",
            "b {pass}",
            "3: .word {enter} - (2b + 8)",
            "4: .word {stack}",
            ".fnend",
        )
    };
}
pub(crate) use jump_to_pass;

/// Loads the address of the thread-local words into r12. The instructions call the libc routine that returns the thread
/// pointer in r0. The routine clobbers r0 and lr (Run-time ABI for the Arm Architecture, section 5.3.5). The call
/// itself may clobber r12. The expansion ends with the label `9:`.
macro_rules! address {
    () => {
        concat!(
            "bl __aeabi_read_tp\n",
            "ldr r12, 8f\n",
            "7: ldr r12, [pc, r12]\n",
            "add r12, r0, r12\n",
            "b 9f\n",
            "8: .word ",
            pending!(),
            "(gottpoff) + (. - (7b + 8))\n",
            "9:",
        )
    };
}

/// Passes r4 to the function whose address is in r5. r6 contains the maximum size in bytes of the stack arguments.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".fnstart",
        ".save {{r4, r5, r6, lr}}", // pushed by the adapter
        "push {{r0, r7}}",
        ".save {{r7}}",
        ".pad #4", // r0
        address!(),
        "ldr r7, [r12]",
        "cmp r7, #0",
        "bne 2f",
        "str r4, [r12]",
        "mov r12, r5",
        "pop {{r0, r7}}",
        "pop {{r4, r5, r6, lr}}",
        "bx r12",
        "2: ldr r0, [r12, #4]",
        "sub sp, sp, #8",
        ".pad #8",
        "str r7, [sp]", // the record
        "str r0, [sp, #4]",
        "mov r7, sp",
        ".setfp r7, sp",
        "add r0, r7, #32",
        "add r0, r0, r6",
        "3: cmp r6, #0", // copies downwards, so that no guard page is skipped
        "beq 4f",
        "ldr lr, [r0, #-4]!",
        "str lr, [sp, #-4]!",
        "sub r6, r6, #4",
        "b 3b",
        "4: str r7, [r12, #4]", // stored before the address, so that a signal handler in between finds the previous address
        "str r4, [r12]",
        "ldr r0, [r7, #8]",
        "blx r5",
        "add sp, r7, #16",
        "ldr r7, [r7, #12]",
        "pop {{r4, r5, r6, pc}}",
        ".fnend",
    )
}

/// Returns the passed address in r0 and restores the previous contents of the thread-local words. Clobbers r12, lr and
/// the flags.
#[unsafe(naked)]
extern "C" fn take_pending() {
    core::arch::naked_asm!(
        ".fnstart",
        "push {{r4, lr}}",
        ".save {{r4, lr}}",
        address!(),
        "ldm r12, {{r0, r4}}",
        "cmp r4, #0",
        "bne 2f",
        "str r4, [r12]",
        "pop {{r4, pc}}",
        "2: push {{r1, r2}}",
        "ldm r4, {{r1, r2}}",
        "str r2, [r12, #4]",
        "str r1, [r12]",
        "pop {{r1, r2}}",
        "pop {{r4, pc}}",
        ".fnend",
    )
}

take!("bl {take}" => "r0", changing "r12" "lr");
