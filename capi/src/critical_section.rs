//! Processors that can only load and store (Armv6-M): an exchange is a critical section. Here is one for a single core:
//! interrupts wait. Weak, so that a program for several cores, or with an idea of its own, may define both functions.

// Their names and types are those of the crate `critical-section`, whose state is a `bool` here: whether interrupts
// were masked before, as PRIMASK has it.
core::arch::global_asm!(
    ".pushsection .text._critical_section_1_0_acquire, \"ax\"",
    ".weak _critical_section_1_0_acquire",
    ".type _critical_section_1_0_acquire, %function",
    ".thumb_func",
    "_critical_section_1_0_acquire:",
    "mrs r0, PRIMASK",
    "cpsid i",
    "bx lr",
    ".popsection",
    ".pushsection .text._critical_section_1_0_release, \"ax\"",
    ".weak _critical_section_1_0_release",
    ".type _critical_section_1_0_release, %function",
    ".thumb_func",
    "_critical_section_1_0_release:",
    "msr PRIMASK, r0",
    "bx lr",
    ".popsection",
);
