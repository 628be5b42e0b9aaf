//! The closure's address on its way to a parameter (ELF ABI s390x Supplement, section "Parameter Passing"): r2 to r6 take
//! integer arguments, one each at most, and what is larger than a word is passed by reference. r6 is the caller's besides: a
//! function gives it back as it came, so no adapter may touch it.
//!
//! Every struct is returned in memory, of whatever size, and the pointer to it takes r2. A type does not tell whether it is a
//! struct; its size tells that it is larger than any register. In four ways, all of them a jump without a frame:
//!
//! - *Before the arguments*, if there is no result and those are three at most: they move up by one register, and the
//!   closure's address is the first. What lies on the stack stays there: while registers are left, only floating-point
//!   arguments are.
//! - *After the result*, which is the same where the result is in memory for sure and r2 stays, of two arguments.
//! - *After the arguments*, if there are none, but perhaps a pointer to a result: r3 and r4 are set to the closure's address,
//!   and of the two parameters of the function the second lies in one of them.
//! - *In words of the thread*, of all else (`in_thread.rs`).

pub(crate) use super::in_thread::{jump_to_pass, pass, stack, take};
pub(crate) use crate::arch::in_thread::in_thread;
use crate::arch::shape::Shape;

pub(crate) enum Way {
    After,
    Before,
    AfterResult,
    InThread,
}

/// The largest result that a register may take, in bytes: a vector, where the processor has them.
const LARGEST_REGISTER: usize = 16;

/// The way that a signature takes.
pub(crate) const fn way(arguments: &[Shape], result: Shape) -> Way {
    match (arguments.len(), result.size) {
        (0..=3, 0) => Way::Before,
        (0..=2, size) if size > LARGEST_REGISTER => Way::AfterResult,
        (0, _) => Way::After,
        _ => Way::InThread,
    }
}

macro_rules! adapter {
    ($way:expr, $enter:ident $signature:tt) => {
        match $way {
            arch::Way::After => $enter!(after, $signature, (), (_: usize, holder: *const H), holder),
            arch::Way::Before => $enter!(before, $signature, (holder: *const H,), (), holder),
            arch::Way::AfterResult => $enter!(after_result, $signature, (holder: *const H,), (), holder),
            arch::Way::InThread => $enter!(in_thread, $signature, (), (), arch::take::<H>()),
        }
    };
}
pub(crate) use adapter;

macro_rules! after {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "lgr %r3, %r0",
            "lgr %r4, %r0",
            "jg {enter}",
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
            "lgr %r5, %r4",
            "lgr %r4, %r3",
            "lgr %r3, %r2",
            "lgr %r2, %r0",
            "jg {enter}",
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
            "lgr %r5, %r4",
            "lgr %r4, %r3",
            "lgr %r3, %r0",
            "jg {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    };
}
pub(crate) use after_result;
