//! Passing a closure's address as an extra argument (LoongArch ELF psABI, section "Procedure Calling Convention"). a0
//! to a7 take integer arguments. Arguments larger than two words are passed by reference. A compiler knows from the
//! types how many registers the arguments take. This code knows only the maximum, which is the result of
//! `integer_registers` plus one for the pointer to a result in memory. The four ways are those in `four_ways.rs`.

pub(crate) use super::in_thread::{jump_to_pass, pass, stack, take};
pub(crate) use crate::arch::four_ways::{Way, adapter, after, after_result, before};
pub(crate) use crate::arch::in_thread::in_thread;
use crate::arch::size_align::{SizeAlign, integer_registers};

/// Selects how closures with this signature receive their address.
pub(crate) const fn way(arguments: &[SizeAlign], result: SizeAlign) -> Way {
    let hidden = result.size > 16;
    match integer_registers(arguments) + hidden as usize {
        0..=3 => Way::After,
        4..=6 if hidden => Way::AfterResult,
        4..=6 => Way::Before,
        _ => Way::InThread,
    }
}
