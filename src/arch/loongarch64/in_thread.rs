//! Thread-local words that pass a closure's address: see `src/arch/in_thread.rs`.
//! The routines are in `src/arch/in_thread_risc.rs`, which lists the registers; the closure's address arrives in t8.

use crate::arch::in_thread::{pending, take};
use crate::arch::in_thread_risc::{pass, take_pending};
use crate::arch::lines;
pub(crate) use crate::arch::shape::stack_beyond_eight as stack;

macro_rules! jump_to_pass {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "la.pcrel $t4, {enter}",
            "li.w $t5, {stack}",
            "tail36 $t7, {pass}",
            ".cfi_endproc",
        )
    };
}
pub(crate) use jump_to_pass;

macro_rules! name {
    (chain) => {
        "$t8"
    };
    (frame) => {
        "$fp"
    };
    ($register:ident) => {
        concat!("$", stringify!($register))
    };
}

macro_rules! dwarf {
    (ra) => {
        "1"
    };
    (sp) => {
        "3"
    };
    (frame) => {
        "22"
    };
}

#[rustfmt::skip]
macro_rules! code {
    (words $to:ident) => {
        lines!(concat!("la.tls.ie ", name!($to), ", ", pending!()), concat!("add.d ", name!($to), ", ", name!($to), ", $tp"))
    };
    (load $to:ident, $base:ident, $offset:literal) => { concat!("ld.d ", name!($to), ", ", name!($base), ", ", $offset) };
    (store $from:ident, $base:ident, $offset:literal) => { concat!("st.d ", name!($from), ", ", name!($base), ", ", $offset) };
    (copy $to:ident, $from:ident) => { concat!("move ", name!($to), ", ", name!($from)) };
    (add $to:ident, $a:ident, $b:ident) => { concat!("add.d ", name!($to), ", ", name!($a), ", ", name!($b)) };
    (add_number $to:ident, $a:ident, $b:literal) => { concat!("addi.d ", name!($to), ", ", name!($a), ", ", $b) };
    (branch_if_zero $register:ident, $label:literal) => { concat!("beqz ", name!($register), ", ", $label) };
    (branch_if_not_zero $register:ident, $label:literal) => { concat!("bnez ", name!($register), ", ", $label) };
    (branch $label:literal) => { concat!("b ", $label) };
    (jump $to:ident) => { concat!("jr ", name!($to)) };
    (call $to:ident) => { concat!("jirl $ra, ", name!($to), ", 0") };
    (return) => { "ret" };
}

pass!();
take_pending!();
take!("call36 {take}" => "$t0", changing "$t1" "$t3" "$t4" "$t5" "$ra");
