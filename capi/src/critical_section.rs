//! Critical sections for processors whose only atomic instructions are loads and stores (Armv6-M, RISC-V without A). On
//! these processors, each atomic exchange is performed in a critical section. The critical section defined here masks
//! the interrupts of a single core (on RISC-V, in machine mode). The linker scripts PROVIDE its two functions under the
//! names that the `critical-section` crate uses, unless the program defines these names itself. A multi-core program
//! must define them. (If the functions here were weak and had those names, the linker would not search later archives
//! for the program's functions.)

// The types are those of the `critical-section` crate, with a `bool` as the restore state. On Arm, the state is true if
// interrupts were masked before (PRIMASK). On RISC-V, it is true if interrupts were enabled before (mstatus.MIE).
#[cfg(target_arch = "arm")]
macro_rules! thumb_func {
    () => {
        ".thumb_func"
    };
}
#[cfg(not(target_arch = "arm"))]
macro_rules! thumb_func {
    () => {
        ""
    };
}

/// Defines an assembly function with these instructions. Its symbol has the prefix of this version of the library.
macro_rules! function {
    ($name:literal: $($instruction:literal)+) => {
        core::arch::global_asm!(
            concat!(".pushsection .text.", statictramp::__symbol!($name), ", \"ax\""),
            concat!(".globl ", statictramp::__symbol!($name)),
            concat!(".type ", statictramp::__symbol!($name), ", %function"),
            thumb_func!(),
            concat!(statictramp::__symbol!($name), ":"),
            $($instruction,)+
            ".popsection",
        );
    };
}

#[cfg(target_arch = "arm")]
function!("single_core_acquire": "mrs r0, PRIMASK" "cpsid i" "bx lr");
#[cfg(target_arch = "arm")]
function!("single_core_release": "msr PRIMASK, r0" "bx lr");

#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
function!("single_core_acquire": "csrrci a0, mstatus, 8" "andi a0, a0, 8" "snez a0, a0" "ret");
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
function!("single_core_release": "slli a0, a0, 3" "csrs mstatus, a0" "ret");
