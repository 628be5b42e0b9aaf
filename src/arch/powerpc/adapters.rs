//! The closure's address on its way to a parameter (System V ABI, PowerPC Processor Supplement, "Parameter Passing"): r3 to r10
//! take integer arguments, one of 64 bits takes a pair that begins at an odd one, and a struct is passed by reference. Every struct
//! is returned in memory, of whatever size, and the pointer to it takes r3.
//!
//! How many registers the arguments take, and whether a result is a struct, a compiler could tell from their types and we cannot;
//! but at most as many as `registers` says, and a result is a struct if it is larger than any scalar. In four ways, all
//! of them a jump without a frame:
//!
//! - *After the arguments*, if those are at most 3 registers with one for the result: the four registers from the fourth on are set
//!   to the closure's address, and of the four parameters that follow the arguments the last lies in one of them.
//! - *Before the arguments*, if there is no result and those are at most 6: they move up by two registers (so that pairs stay
//!   pairs), and the closure's address is the first. What lies on the stack stays there: while registers are left, only
//!   floating-point arguments are.
//! - *After the result*, which is the same where the first register is that of the result, and stays.
//! - *In words of the thread*, of all else (`in_thread.rs`).

pub(crate) use super::in_thread::{in_thread, pass, stack, take};
use crate::arch::shape::Shape;

pub(crate) enum Way {
    After,
    Before,
    AfterResult,
    InThread,
}

/// The largest result that registers may take, in bytes: an integer of 128 bits.
const LARGEST_SCALAR: usize = 16;

/// The most integer registers that arguments take: one for each word of what may be a scalar, one more where that must begin in
/// an odd one, and one for anything larger.
pub(crate) const fn registers(arguments: &[Shape]) -> usize {
    let (mut most, mut i) = (0, 0);
    while i < arguments.len() {
        most += match arguments[i].size {
            0..=4 => 1,
            size if size <= LARGEST_SCALAR => arguments[i].words() + 1,
            _ => 1,
        };
        i += 1;
    }
    most
}

/// The way that a signature takes.
pub(crate) const fn way(arguments: &[Shape], result: Shape) -> Way {
    let hidden = result.size > 0;
    match registers(arguments) + hidden as usize {
        0..=3 => Way::After,
        4..=6 if !hidden => Way::Before,
        4..=6 if result.size > LARGEST_SCALAR => Way::AfterResult,
        _ => Way::InThread,
    }
}

macro_rules! adapter {
    ($way:expr, $enter:ident $signature:tt) => {
        match $way {
            arch::Way::After => {
                $enter!(after, $signature, (), (_: usize, _: usize, _: usize, holder: *const H), holder)
            }
            arch::Way::Before => $enter!(before, $signature, (holder: *const H, _: usize,), (), holder),
            arch::Way::AfterResult => $enter!(after_result, $signature, (holder: *const H, _: usize,), (), holder),
            arch::Way::InThread => $enter!(in_thread, $signature, (), (), arch::take::<H>()),
        }
    };
}
pub(crate) use adapter;

macro_rules! after {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "mr 6, 11",
            "mr 7, 11",
            "mr 8, 11",
            "mr 9, 11",
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
            "mr 10, 8",
            "mr 9, 7",
            "mr 8, 6",
            "mr 7, 5",
            "mr 6, 4",
            "mr 5, 3",
            "mr 3, 11",
            "b {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    };
}
pub(crate) use before;

macro_rules! after_result {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "mr 10, 8",
            "mr 9, 7",
            "mr 8, 6",
            "mr 7, 5",
            "mr 6, 4",
            "mr 4, 11",
            "b {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    };
}
pub(crate) use after_result;
