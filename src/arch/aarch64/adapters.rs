//! Passing a closure's address as an extra argument (AAPCS64, section 6.8.2). x0 to x7 take integer arguments.
//! Arguments larger than two words are passed by reference, except structs of up to four floating-point or vector
//! values of one type. A compiler knows from the types how many registers the arguments take. This code knows only the
//! maximum, which `integer_registers` returns. Only three of the ways in `four_ways.rs` are needed, because the pointer
//! to a result in memory has its own register (x8).

#[cfg(target_os = "linux")]
pub(crate) use super::in_thread::{jump_to_pass, pass, stack, take};
pub(crate) use crate::arch::four_ways::{Way, adapter, after, before};
#[cfg(target_os = "linux")]
pub(crate) use crate::arch::in_thread::{HAS_THREAD_WORDS, in_thread};
#[cfg(not(target_os = "linux"))]
pub(crate) use crate::arch::no_thread::{HAS_THREAD_WORDS, in_thread, take};
use crate::arch::size_align::{SizeAlign, integer_registers};

const _: () = assert!(usize::BITS == 64, "the AArch64 adapters require 64-bit pointers");

/// Selects how closures with this signature receive their address.
pub(crate) const fn way(arguments: &[SizeAlign], _result: SizeAlign) -> Way {
    match integer_registers(arguments) {
        0..=3 => Way::After,
        4..=6 => Way::Before,
        _ => {
            assert!(
                HAS_THREAD_WORDS,
                "on this target, a closure can take at most six registers' worth of arguments: pass a reference to \
                 a struct that contains the arguments"
            );
            Way::InThread
        }
    }
}
