//! Critical sections for processors whose only atomic instructions are loads and stores (Armv6-M, RISC-V without A). On
//! these processors, each atomic exchange is performed in a critical section. The implementation here masks interrupts
//! on a single core (on RISC-V, in machine mode). The linker scripts PROVIDE its two functions under the names used by
//! the `critical-section` crate, unless the program defines these names itself, as a multicore program must. (If the
//! functions here were weak and had those names, the linker would not search later archives for the program's
//! functions.)

// The types come from the `critical-section` crate, with a `bool` as the restore state. On Arm, it is true if
// interrupts were masked before (PRIMASK); on RISC-V, if they were enabled (mstatus.MIE).
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

/// Expands to the name of a function. The name lacks the `c_` of the C library's other symbols, because programs'
/// linker scripts refer to it, and only the C library defines such functions.
macro_rules! name {
    ($name:literal) => {
        concat!(
            "statictramp_",
            env!("CARGO_PKG_VERSION_MAJOR"),
            "_",
            env!("CARGO_PKG_VERSION_MINOR"),
            "_single_core_",
            $name
        )
    };
}

/// Defines an assembly function with these instructions.
macro_rules! function {
    ($name:literal: $($instruction:literal)+) => {
        core::arch::global_asm!(
            concat!(".pushsection .text.", name!($name), ", \"ax\""),
            concat!(".globl ", name!($name)),
            concat!(".type ", name!($name), ", %function"),
            thumb_func!(),
            concat!(name!($name), ":"),
            $($instruction,)+
            ".popsection",
        );
    };
}

#[cfg(target_arch = "arm")]
function!("acquire": "mrs r0, PRIMASK" "cpsid i" "bx lr");
#[cfg(target_arch = "arm")]
function!("release": "msr PRIMASK, r0" "bx lr");

#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
function!("acquire": "csrrci a0, mstatus, 8" "andi a0, a0, 8" "snez a0, a0" "ret");
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
function!("release": "slli a0, a0, 3" "csrs mstatus, a0" "ret");
