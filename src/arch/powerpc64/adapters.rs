//! Passing a closure's address as an extra argument (Power ELFv2 ABI, section 2.2.4.1). The first eight doublewords are
//! in r3 to r10. The four ways are those in `doublewords.rs`.

pub(crate) use super::in_thread::{jump_to_pass, pass, take};
use crate::arch::doublewords::position_after;
pub(crate) use crate::arch::doublewords::{Way, adapter, stack, way};
pub(crate) use crate::arch::in_thread::in_thread;
use crate::arch::size_align::SizeAlign;

/// The number of the register that is `skipped` positions after those of the arguments.
pub(crate) const fn register_after(arguments: &[SizeAlign], skipped: usize) -> usize {
    3 + position_after(arguments, skipped)
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
