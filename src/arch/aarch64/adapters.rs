//! The closure's address on its way to a parameter (AAPCS64, section 6.8.2): x0 to x7 take integer arguments, and larger
//! ones than two words are passed by reference.
//!
//! How many registers the arguments take, a compiler could tell from their types and we cannot; but at most as many as
//! `integer_registers` says. In three ways, all of them a jump without a frame:
//!
//! - *After the arguments*, if those are at most 3 registers: the four registers from the fourth on are set to the
//!   closure's address, and of the four parameters that follow the arguments the last lies in one of them.
//! - *Before the arguments*, if those are at most 6: they move up by two registers (so that even ones stay even), and the
//!   closure's address is the first. What lies on the stack stays there: while registers are left, only floating-point
//!   arguments are.
//! - *In words of the thread*, if they are more (`in_thread.rs`); on boards that is refused when the program is compiled.
//!
//! The pointer to a result in memory has a register of its own, x8.

#[cfg(target_os = "linux")]
pub(crate) use super::in_thread::{HAS_THREAD_WORDS, in_thread, pass, stack, take};
#[cfg(not(target_os = "linux"))]
pub(crate) use crate::arch::no_thread::{HAS_THREAD_WORDS, in_thread, take};
use crate::arch::shape::{Shape, integer_registers};

const _: () = assert!(usize::BITS == 64, "the adapters of AArch64 are for pointers of 64 bits");

pub(crate) enum Way {
    After,
    Before,
    InThread,
}

/// The way that a signature takes.
pub(crate) const fn way(arguments: &[Shape], _result: Shape) -> Way {
    match integer_registers(arguments) {
        0..=3 => Way::After,
        4..=6 => Way::Before,
        _ => {
            assert!(
                HAS_THREAD_WORDS,
                "on this target a closure can take no more than six registers' worth of arguments: pass a reference to a struct that has them"
            );
            Way::InThread
        }
    }
}

macro_rules! adapter {
    ($way:expr, $enter:ident $signature:tt) => {
        match $way {
            arch::Way::After => {
                $enter!(after, $signature, (), (_: usize, _: usize, _: usize, holder: *const H), holder)
            }
            arch::Way::Before => $enter!(before, $signature, (holder: *const H, _: usize,), (), holder),
            arch::Way::InThread => $enter!(in_thread, $signature, (), (), arch::take::<H>()),
        }
    };
}
pub(crate) use adapter;

macro_rules! after {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "hint #34", // bti c
            "mov x3, x15",
            "mov x4, x15",
            "mov x5, x15",
            "mov x6, x15",
            "b {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    };
}
pub(crate) use after;

macro_rules! before {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "hint #34", // bti c
            "mov x7, x5",
            "mov x6, x4",
            "mov x5, x3",
            "mov x4, x2",
            "mov x3, x1",
            "mov x2, x0",
            "mov x0, x15",
            "b {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    };
}
pub(crate) use before;
