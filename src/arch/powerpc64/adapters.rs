//! Passing a closure's address as an extra argument (Power ELFv2 ABI, section 2.2.4.1). Arguments occupy consecutive
//! doublewords, even if they are passed in floating-point or vector registers. The first eight doublewords of the
//! remaining arguments are in r3 to r10. A pointer to a result in memory comes first. So the position of the next
//! parameter usually follows from the sizes of the arguments alone. There are two exceptions, for which a compiler uses
//! the types: an argument aligned to more than 8 bytes may have to begin in an even-numbered register, and a result of
//! more than 16 bytes may be in memory. There are four ways. In each of them, the adapter jumps and has no frame:
//! - *Next*, if that position is known and has a register. The register is set to the closure's address.
//! - *After a result* of more than 16 bytes. The two registers after the arguments and the pointer are set to the
//!   closure's address, and the last of two parameters that follow the arguments is in one of them.
//! - *After the arguments*, if the arguments take at most 3 doublewords. The four registers from the fourth on are set
//!   to the closure's address, and the last of the four parameters that follow the arguments is in one of them.
//! - *In thread-local words*, for more arguments (`in_thread.rs`).

pub(crate) use super::in_thread::{jump_to_pass, pass, stack, take};
pub(crate) use crate::arch::in_thread::in_thread;
use crate::arch::size_align::SizeAlign;

pub(crate) enum Way {
    Next,
    AfterResult,
    After,
    InThread,
}

/// Returns the minimum and the maximum number of doublewords of the arguments.
pub(crate) const fn doublewords(arguments: &[SizeAlign]) -> (usize, usize) {
    let (mut least, mut most, mut i) = (0, 0, 0);
    while i < arguments.len() {
        least += arguments[i].size.div_ceil(8);
        most += arguments[i].words() + (arguments[i].align > 8) as usize;
        i += 1;
    }
    (least, most)
}

/// Number of integer argument registers: r3 to r10.
const REGISTERS: usize = 8;

/// Selects the way of passing the closure's address for a signature.
pub(crate) const fn way(arguments: &[SizeAlign], result: SizeAlign) -> Way {
    let (least, most) = doublewords(arguments);
    match (least == most, result.size > 16) {
        (true, false) if most < REGISTERS => Way::Next,
        (true, true) if most + 2 < REGISTERS => Way::AfterResult,
        (_, hidden) if most + hidden as usize <= 3 => Way::After,
        _ => Way::InThread,
    }
}

macro_rules! adapter {
    ($way:expr, $enter:ident $signature:tt) => {
        match $way {
            arch::Way::Next => $enter!(next, $signature, (), (holder: *const H), holder),
            arch::Way::AfterResult => $enter!(after_result, $signature, (), (_: usize, holder: *const H), holder),
            arch::Way::After => {
                $enter!(after, $signature, (), (_: usize, _: usize, _: usize, holder: *const H), holder)
            }
            arch::Way::InThread => $enter!(in_thread, $signature, (), (), arch::take::<H>()),
        }
    };
}
pub(crate) use adapter;

/// Returns the number of the register that is `skipped` positions after those of the arguments. If there is no such
/// register, returns the number of the last register, which is then unused.
pub(crate) const fn register_after(arguments: &[SizeAlign], skipped: usize) -> usize {
    let place = doublewords(arguments).1 + skipped;
    3 + if place < REGISTERS { place } else { REGISTERS - 1 }
}

/// Sets registers to the closure's address and jumps to the function.
macro_rules! set {
    ($enter:path; $($name:ident = $register:expr),+) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "77: addis 12, 12, ({enter} - 77b)@ha",
            "addi 12, 12, ({enter} - 77b)@l",
            $(concat!("mr {", stringify!($name), "}, 11"),)+
            "mtctr 12",
            "bctr",
            ".cfi_endproc",
            enter = sym $enter,
            $($name = const $register),+
        )
    };
}
pub(crate) use set;

macro_rules! next {
    ($enter:path; $arguments:expr) => {
        arch::set!($enter; first = arch::register_after($arguments, 0))
    };
}
pub(crate) use next;

macro_rules! after_result {
    ($enter:path; $arguments:expr) => {
        arch::set!($enter; first = arch::register_after($arguments, 1), second = arch::register_after($arguments, 2))
    };
}
pub(crate) use after_result;

macro_rules! after {
    ($enter:path; $arguments:expr) => {
        arch::set!($enter; first = 6, second = 7, third = 8, fourth = 9)
    };
}
pub(crate) use after;
