//! The closure's address on its way to a parameter (System V ABI, PowerPC Processor Supplement, "Parameter Passing"): r3 to r10
//! take integer arguments, one of 64 bits takes a pair that begins at an odd one, and a struct is passed by reference. Every struct
//! is returned in memory, of whatever size, and the pointer to it takes r3.
//!
//! How many registers the arguments take, and whether a result is a struct, a compiler could tell from their types and we cannot;
//! but at most as many as `registers` says, and a result is a struct if it is larger than any scalar. The four ways
//! are those of `four_ways.rs`; before the arguments only where there is no result.

pub(crate) use super::in_thread::{jump_to_pass, pass, stack, take};
pub(crate) use crate::arch::four_ways::{Way, adapter};
pub(crate) use crate::arch::in_thread::in_thread;
use crate::arch::shape::Shape;

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
