//! Passing a closure's address as an extra argument (RISC-V ELF psABI, chapter "Integer Calling Convention"). a0 to a7
//! take integer arguments. An argument larger than two words is passed by reference, unless it is in floating-point
//! registers. A compiler knows from the types how many registers the arguments take. This code knows only the maximum,
//! which is the result of `integer_registers` plus one for the pointer to a result in memory. The four ways are those
//! in `four_ways.rs`.

#[cfg(target_os = "linux")]
pub(crate) use super::in_thread::{jump_to_pass, pass, stack, take};
pub(crate) use crate::arch::four_ways::{Way, adapter, after, after_result, before};
#[cfg(target_os = "linux")]
pub(crate) use crate::arch::in_thread::{HAS_THREAD_WORDS, in_thread};
#[cfg(not(target_os = "linux"))]
pub(crate) use crate::arch::no_thread::{HAS_THREAD_WORDS, in_thread, take};
use crate::arch::size_align::{SizeAlign, integer_registers};

/// Selects how closures with this signature receive their address.
pub(crate) const fn way(arguments: &[SizeAlign], result: SizeAlign) -> Way {
    let hidden = result.size > 2 * size_of::<usize>();
    // With 4-byte integer registers and 8-byte floating-point registers, a struct of two `f64` is returned in
    // registers, without a hidden pointer.
    let is_sure = size_of::<usize>() == 8 || !matches!(result.size, 9..=16);
    match integer_registers(arguments) + hidden as usize {
        0..=3 => Way::After,
        4..=6 if !is_sure => panic!(
            "on this target, a closure with a result of 9 to 16 bytes can take at most two registers' worth of \
             arguments: pass a reference to a struct that contains the arguments"
        ),
        4..=6 if hidden => Way::AfterResult,
        4..=6 => Way::Before,
        _ => {
            assert!(
                HAS_THREAD_WORDS,
                "on this target, a closure can take at most six registers' worth of arguments, five if the result \
                 is returned in memory: pass a reference to a struct that contains the arguments"
            );
            Way::InThread
        }
    }
}
