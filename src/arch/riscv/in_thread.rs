//! Thread-local words that pass a closure's address: see `src/arch/in_thread.rs`.
//! The routines are in `src/arch/in_thread_risc.rs`, which lists the registers; the closure's address arrives in t2.

use crate::arch::in_thread::{pending, take};
use crate::arch::in_thread_risc::{pass, take_pending};
use crate::arch::lines;
pub(crate) use crate::arch::shape::stack_beyond_eight as stack;

macro_rules! jump_to_pass {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "lla t4, {enter}",
            "li t5, {stack}",
            "tail {pass}",
            ".cfi_endproc",
        )
    };
}
pub(crate) use jump_to_pass;

macro_rules! name {
    (chain) => {
        "t2"
    };
    (frame) => {
        "s0"
    };
    ($register:ident) => {
        stringify!($register)
    };
}

macro_rules! dwarf {
    ($register:ident) => {
        name!($register)
    };
}

#[rustfmt::skip]
macro_rules! code {
    (words $to:ident) => {
        lines!(concat!("la.tls.ie ", name!($to), ", ", pending!()), concat!("add ", name!($to), ", ", name!($to), ", tp"))
    };
    (load $to:ident, $base:ident, $offset:literal) => { concat!("ld ", name!($to), ", ", $offset, "(", name!($base), ")") };
    (store $from:ident, $base:ident, $offset:literal) => { concat!("sd ", name!($from), ", ", $offset, "(", name!($base), ")") };
    (copy $to:ident, $from:ident) => { concat!("mv ", name!($to), ", ", name!($from)) };
    (add $to:ident, $a:ident, $b:ident) => { concat!("add ", name!($to), ", ", name!($a), ", ", name!($b)) };
    (add_number $to:ident, $a:ident, $b:literal) => { concat!("addi ", name!($to), ", ", name!($a), ", ", $b) };
    (branch_if_zero $register:ident, $label:literal) => { concat!("beqz ", name!($register), ", ", $label) };
    (branch_if_not_zero $register:ident, $label:literal) => { concat!("bnez ", name!($register), ", ", $label) };
    (branch $label:literal) => { concat!("j ", $label) };
    (jump $to:ident) => { concat!("jr ", name!($to)) };
    (call $to:ident) => { concat!("jalr ", name!($to)) };
    (return) => { "ret" };
}

pass!();
take_pending!();
take!("call {take}" => "t0", changing "t1" "t3" "t4" "t5" "ra");
