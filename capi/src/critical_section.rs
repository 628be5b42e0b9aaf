//! Processors that can only load and store (Armv6-M, RISC-V without A): an exchange is a critical section. Here is one for
//! a single core, in machine mode on RISC-V: interrupts wait. Weak, so that a program for several cores, or with an idea of
//! its own, may define both functions.

// Their names and types are those of the crate `critical-section`, whose state is a `bool` here: on Arm whether
// interrupts were masked before, as PRIMASK has it; on RISC-V whether they were not, as mstatus.MIE has it.
#[cfg(target_arch = "arm")]
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

#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
core::arch::global_asm!(
    ".pushsection .text._critical_section_1_0_acquire, \"ax\"",
    ".weak _critical_section_1_0_acquire",
    ".type _critical_section_1_0_acquire, %function",
    "_critical_section_1_0_acquire:",
    "csrrci a0, mstatus, 8",
    "andi a0, a0, 8",
    "snez a0, a0",
    "ret",
    ".popsection",
    ".pushsection .text._critical_section_1_0_release, \"ax\"",
    ".weak _critical_section_1_0_release",
    ".type _critical_section_1_0_release, %function",
    "_critical_section_1_0_release:",
    "slli a0, a0, 3",
    "csrs mstatus, a0",
    "ret",
    ".popsection",
);
