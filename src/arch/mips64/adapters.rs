//! Passing a closure's address as an extra argument (MIPSpro N32 ABI Handbook, chapter 2). Each of the first eight
//! doublewords of the arguments is in one of $4 to $11, or in the floating-point register of the same position. The
//! four ways are those in `doublewords.rs`. The routine for thread-local words is in `in_thread_risc.rs`, which lists
//! its registers. At its entry, the closure's address is in $15, and the routine's own address is in $25.

pub(crate) use crate::arch::doublewords::{
    Way, adapter, after, after_result, next, position_after, stack, way,
};
use crate::arch::in_thread::pending;
pub(crate) use crate::arch::in_thread::{in_thread, take_in_rust as take};
use crate::arch::in_thread_risc::pass;
use crate::arch::lines;

/// The number of the register that contains the first doubleword.
pub(crate) const FIRST: usize = 4;

/// Sets registers to the closure's address, and jumps to the function.
macro_rules! set {
    ($enter:path; $($name:ident = $register:expr),+) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            concat!("77: ", $crate::__processor!(target "{enter}")),
            $(concat!("move ${", stringify!($name), "}, $15"),)+
            "jr $25",
            ".cfi_endproc",
            enter = sym $enter,
            $($name = const $register),+
        )
    };
}
pub(crate) use set;

macro_rules! jump_to_pass {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            concat!("77: ", $crate::__processor!(target "{pass}")),
            "ld $24, %got_disp({enter})($24)",
            "li $13, {stack}",
            "jr $25",
            ".cfi_endproc",
        )
    };
}
pub(crate) use jump_to_pass;

#[rustfmt::skip]
macro_rules! name {
    (zero) => { "$0" };
    (t0) => { "$2" };
    (t1) => { "$3" };
    (t3) => { "$12" };
    (t4) => { "$24" };
    (t5) => { "$13" };
    (t6) => { "$14" };
    (chain) => { "$15" };
    (sp) => { "$29" };
    (frame) => { "$30" };
    (ra) => { "$31" };
}

macro_rules! dwarf {
    (ra) => {
        "31"
    };
    (sp) => {
        "29"
    };
    (frame) => {
        "30"
    };
}

#[rustfmt::skip]
macro_rules! code {
    (words $to:ident) => { // the first instructions of the routine
        lines!(
            "77: lui $2, %hi(%neg(%gp_rel(77b)))",
            "daddu $2, $2, $25",
            "daddiu $2, $2, %lo(%neg(%gp_rel(77b)))",
            concat!("ld ", name!($to), ", %gottprel(", pending!(), ")($2)"),
            "rdhwr $2, $29",
            concat!("daddu ", name!($to), ", ", name!($to), ", $2"),
        )
    };
    (load $to:ident, $base:ident, $offset:literal) => { concat!("ld ", name!($to), ", ", $offset, "(", name!($base), ")") };
    (store $from:ident, $base:ident, $offset:literal) => { concat!("sd ", name!($from), ", ", $offset, "(", name!($base), ")") };
    (copy $to:ident, $from:ident) => { concat!("move ", name!($to), ", ", name!($from)) };
    (add $to:ident, $a:ident, $b:ident) => { concat!("daddu ", name!($to), ", ", name!($a), ", ", name!($b)) };
    (add_number $to:ident, $a:ident, $b:literal) => { concat!("daddiu ", name!($to), ", ", name!($a), ", ", $b) };
    (branch_if_zero $register:ident, $label:literal) => { concat!("beqz ", name!($register), ", ", $label) };
    (branch_if_not_zero $register:ident, $label:literal) => { concat!("bnez ", name!($register), ", ", $label) };
    (branch $label:literal) => { concat!("b ", $label) };
    (jump $to:ident) => { concat!("move $25, ", name!($to), "\njr $25") };
    (call $to:ident) => { concat!("move $25, ", name!($to), "\njalr $25") };
    (return) => { "jr $31" };
}

pass!();
