//! Passing a closure's address as an extra argument (LoongArch ELF psABI, section "Procedure Calling Convention"). a0
//! to a7 take integer arguments. Arguments larger than two words are passed by reference. A compiler knows from the
//! types how many registers the arguments take. This code knows only the maximum, which is `integer_registers` plus one
//! for the pointer to a result in memory. The four ways are those in `four_ways.rs`.

pub(crate) use super::in_thread::{jump_to_pass, pass, stack, take};
pub(crate) use crate::arch::four_ways::{Way, adapter};
pub(crate) use crate::arch::in_thread::in_thread;
use crate::arch::size_align::{SizeAlign, integer_registers};

/// Selects the way of passing the closure's address for a signature.
pub(crate) const fn way(arguments: &[SizeAlign], result: SizeAlign) -> Way {
    let hidden = result.size > 16;
    match integer_registers(arguments) + hidden as usize {
        0..=3 => Way::After,
        4..=6 if hidden => Way::AfterResult,
        4..=6 => Way::Before,
        _ => Way::InThread,
    }
}

macro_rules! after {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "move $a3, $t8",
            "move $a4, $t8",
            "move $a5, $t8",
            "move $a6, $t8",
            "tail36 $t7, {enter}",
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
            "move $a7, $a5",
            "move $a6, $a4",
            "move $a5, $a3",
            "move $a4, $a2",
            "move $a3, $a1",
            "move $a2, $a0",
            "move $a0, $t8",
            "tail36 $t7, {enter}",
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
            "move $a7, $a5",
            "move $a6, $a4",
            "move $a5, $a3",
            "move $a4, $a2",
            "move $a3, $a1",
            "move $a1, $t8",
            "tail36 $t7, {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    };
}
pub(crate) use after_result;
