//! Passing a closure's address as an extra argument (Power ELFv2 ABI, section 2.2.4.1). The first eight doublewords are
//! in r3 to r10. The four ways are those in `doublewords.rs`.

pub(crate) use super::in_thread::{jump_to_pass, pass, take};
pub(crate) use crate::arch::doublewords::{
    Way, adapter, after, after_result, next, position_after, stack, way,
};
pub(crate) use crate::arch::in_thread::in_thread;

/// The number of the register that contains the first doubleword.
pub(crate) const FIRST: usize = 3;

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
