//! PowerPC of 64 bits, little-endian (Power ELFv2 ABI, section 2.2): the static chain travels in r11. A function that is entered
//! through a pointer finds its own address in r12; one that has its TOC pointer already is entered behind the first two
//! instructions, as `.localentry` tells the linker.

pub(crate) mod bind_first;

/// What makes the TOC pointer of that, at the beginning of the function `{me}`.
macro_rules! toc {
    () => {
        "addis 2, 12, (.TOC. - {me})@ha\naddi 2, 2, (.TOC. - {me})@l\n.localentry {me}, . - {me}\n"
    };
}

pub(crate) use toc;

macro_rules! text {
    (begin) => {
        ".cfi_startproc"
    };
    (end) => {
        ".cfi_endproc"
    };
    (bind $register:literal) => {
        concat!("ld ", $register, ", 0(11)\nld 12, 8(11)\nmtctr 12\nbctr")
    };
    (move $to:literal $from:literal) => {
        concat!("mr ", $to, ", ", $from)
    };
    (stack_pointer first) => {
        concat!($crate::arch::toc!(), "mr 3, 1")
    };
    (stack_pointer fourth) => {
        concat!($crate::arch::toc!(), "mr 6, 1")
    };
    (return_address second) => {
        concat!($crate::arch::toc!(), "mflr 4")
    };
    (go_on) => {
        "b {to}"
    };
    (stack_pointer) => {
        "mr {}, 1"
    };
}
pub(crate) use text;

adapters! {
    statictramp_bind_0 "3"
    statictramp_bind_1 "4"
    statictramp_bind_2 "5"
    statictramp_bind_3 "6"
    statictramp_bind_4 "7"
    statictramp_bind_5 "8"
    statictramp_bind_6 "9"
    statictramp_bind_7 "10"
}

/// Nothing tells whether r2 is set in a function that calls no other, so this does without it.
macro_rules! address_of_thread_word {
    ($symbol:expr, $word:ident) => {
        core::arch::asm!(
            "bcl 20, 31, 77f",
            "77: mflr {0}",
            "mr {1}, 2", // linkers know these instructions with r2 alone
            "addis 2, {0}, (.TOC. - 77b)@ha",
            "addi 2, 2, (.TOC. - 77b)@l",
            concat!("addis {0}, 2, ", $symbol, "@got@tprel@ha"),
            concat!("ld {0}, ", $symbol, "@got@tprel@l({0})"),
            "mr 2, {1}",
            concat!("add {0}, {0}, ", $symbol, "@tls"),
            out(reg_nonzero) $word, out(reg) _, out("lr") _, options(nomem, nostack, preserves_flags),
        )
    };
}
pub(super) use address_of_thread_word;
