//! Passing a closure's address as an extra argument (System V ABI, PowerPC Processor Supplement, "Parameter Passing").
//! r3 to r10 take integer arguments. A 64-bit integer takes a pair of registers that begins with an odd-numbered one.
//! Structs are passed by reference. Structs of any size are returned in memory, and the pointer to the result takes r3.
//! A compiler knows from the types how many registers the arguments take, and whether the result is a struct. This code
//! knows only the maximum number of registers, which `registers` returns, and that a result larger than any scalar is a
//! struct. The four ways are those in `four_ways.rs`, but "before the arguments" is used only if there is no result.

pub(crate) use super::in_thread::{jump_to_pass, pass, stack, take};
pub(crate) use crate::arch::four_ways::{Way, adapter, after, after_result, before};
pub(crate) use crate::arch::in_thread::in_thread;
use crate::arch::size_align::SizeAlign;

/// Size in bytes of the largest result in registers: a 128-bit integer.
const LARGEST_SCALAR: usize = 16;

/// Returns the maximum number of integer registers that the arguments take. An argument of at most one word takes one
/// register. Any other argument of up to 16 bytes takes one register for each word, and one more because it may have to
/// begin in an odd-numbered register. A larger argument takes one register, for its address.
pub(crate) const fn registers(arguments: &[SizeAlign]) -> usize {
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

/// Selects how closures with this signature receive their address.
pub(crate) const fn way(arguments: &[SizeAlign], result: SizeAlign) -> Way {
    let hidden = result.size > 0;
    match registers(arguments) + hidden as usize {
        0..=3 => Way::After,
        4..=6 if !hidden => Way::Before,
        4..=6 if result.size > LARGEST_SCALAR => Way::AfterResult,
        _ => Way::InThread,
    }
}
