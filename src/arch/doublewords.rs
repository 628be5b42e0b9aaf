//! Ways of passing a closure's address to a function, for processors on which all arguments occupy consecutive
//! doublewords, even arguments in floating-point or vector registers. The other doublewords among the first eight are
//! in integer registers, and a pointer to a result in memory comes first. The sizes of the arguments therefore
//! determine the next parameter's position, except in two cases that also depend on the types: an argument aligned to
//! more than 8 bytes may have to begin in an even register, and a result of more than 16 bytes may be in memory. All
//! four adapters end with a jump and need no frame:
//! - *Next*, if the next parameter's register is known. The adapter sets that register to the closure's address.
//! - *After a result* of more than 16 bytes, if all other positions are known and two more registers are left. The
//!   function has two extra parameters after the arguments. The last parameter is in one of two registers, depending on
//!   whether a pointer to the result comes first, so the adapter sets both registers to the closure's address.
//! - *After the arguments*, if the arguments and any result pointer together take at most 3 doublewords. The function
//!   has four extra parameters after the arguments. The last parameter is in the fourth, fifth, sixth or seventh
//!   register, so the adapter sets all four registers to the closure's address.
//! - *In thread-local words*, for all other signatures (`in_thread.rs`).

use crate::arch::signature::Signature;

pub(crate) enum Passing {
    Next,
    AfterResult,
    After,
    ThreadWords,
}

/// Returns the minimum and the maximum number of doublewords that the arguments take.
const fn doublewords(signature: &Signature<'_>) -> (usize, usize) {
    let (mut least, mut most, mut i) = (0, 0, 0);
    while i < signature.arguments.len() {
        least += signature.arguments[i].size.div_ceil(8);
        most += signature.arguments[i].words() + (signature.arguments[i].align > 8) as usize;
        i += 1;
    }
    (least, most)
}

/// Number of integer argument registers.
const REGISTERS: usize = 8;

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    let (least, most) = doublewords(signature);
    match (least == most, signature.result.size > 16) {
        (true, false) if most < REGISTERS => Passing::Next,
        (true, true) if most + 2 < REGISTERS => Passing::AfterResult,
        (_, hidden) if most + hidden as usize <= 3 => Passing::After,
        _ => Passing::ThreadWords,
    }
}

/// Returns the position, counted from 0, of the register that follows the argument registers and `skipped` additional
/// registers. If there is none, returns the last register's position, which is unused because `passing` then selects
/// another adapter.
pub(crate) const fn position_after(signature: &Signature<'_>, skipped: usize) -> usize {
    let position = doublewords(signature).1 + skipped;
    if position < REGISTERS { position } else { REGISTERS - 1 }
}

/// Returns the maximum total size, in bytes, of the stack arguments. The first eight doublewords, which may include
/// the result pointer, are in registers. A struct of floating-point numbers takes consecutive doublewords, even if
/// each number takes a separate register.
pub(crate) const fn stack(signature: &Signature<'_>) -> usize {
    const HIDDEN: usize = 1;
    (8 * (doublewords(signature).1 + HIDDEN).saturating_sub(8)).next_multiple_of(16)
}
