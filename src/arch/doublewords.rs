//! Ways of passing a closure's address to a function, for processors on which all arguments occupy consecutive
//! doublewords, even those in floating-point or vector registers. All other doublewords among the first eight are in
//! integer registers. A pointer to a result in memory comes first. The position of the next parameter therefore follows
//! from the sizes of the arguments alone. There are two exceptions, for which a compiler uses the types: an argument
//! aligned to more than 8 bytes may have to begin in an even register, and a result of more than 16 bytes may be in
//! memory. In all four ways, the adapter ends with a jump and needs no frame:
//! - *Next*, if the position of the next parameter is known and is in a register. The adapter sets that register to the
//!   closure's address.
//! - *After a result* of more than 16 bytes, if all other positions are known and two more registers are left. The
//!   function has two extra parameters after the arguments. The last one is in one of two registers, depending on
//!   whether a pointer to the result comes first. The adapter sets both registers to the closure's address.
//! - *After the arguments*, if the arguments and a possible pointer to the result take at most 3 doublewords. The
//!   function has four extra parameters after the arguments, and the last one is in the fourth, fifth, sixth or seventh
//!   register. The adapter sets all four of these registers to the closure's address.
//! - *In thread-local words*, for all other signatures (`in_thread.rs`).

use crate::arch::size_align::SizeAlign;

pub(crate) enum Way {
    Next,
    AfterResult,
    After,
    InThread,
}

/// Returns the minimum and the maximum number of doublewords that the arguments take.
const fn doublewords(arguments: &[SizeAlign]) -> (usize, usize) {
    let (mut least, mut most, mut i) = (0, 0, 0);
    while i < arguments.len() {
        least += arguments[i].size.div_ceil(8);
        most += arguments[i].words() + (arguments[i].align > 8) as usize;
        i += 1;
    }
    (least, most)
}

/// Number of integer argument registers.
const REGISTERS: usize = 8;

/// Selects how closures with this signature receive their address.
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

macro_rules! next {
    ($enter:path; $arguments:expr) => {
        arch::set!($enter; first = arch::FIRST + arch::position_after($arguments, 0))
    };
}
pub(crate) use next;

macro_rules! after_result {
    ($enter:path; $arguments:expr) => {
        arch::set!(
            $enter;
            first = arch::FIRST + arch::position_after($arguments, 1),
            second = arch::FIRST + arch::position_after($arguments, 2)
        )
    };
}
pub(crate) use after_result;

macro_rules! after {
    ($enter:path; $arguments:expr) => {
        arch::set!(
            $enter;
            first = arch::FIRST + 3,
            second = arch::FIRST + 4,
            third = arch::FIRST + 5,
            fourth = arch::FIRST + 6
        )
    };
}
pub(crate) use after;

/// Returns the position, counted from 0, of the first register after the argument registers and `skipped` further
/// positions. If there is no such register, returns the position of the last register. In that case, `way` selects an
/// adapter that does not use this position.
pub(crate) const fn position_after(arguments: &[SizeAlign], skipped: usize) -> usize {
    let place = doublewords(arguments).1 + skipped;
    if place < REGISTERS { place } else { REGISTERS - 1 }
}

/// Returns the maximum size in bytes of the stack arguments. The stack arguments are those that do not fit into eight
/// registers, one of which may hold the pointer to the result.
pub(crate) const fn stack(arguments: &[SizeAlign]) -> usize {
    const HIDDEN: usize = 1;
    (8 * (doublewords(arguments).1 + HIDDEN).saturating_sub(8)).next_multiple_of(16)
}
