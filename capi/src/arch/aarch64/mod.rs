//! AArch64 (AAPCS64, section 6.8.2): the static chain travels in x15.

pub(crate) mod bind_first;

macro_rules! text {
    (begin) => {
        ".cfi_startproc\nhint #34" // bti c
    };
    (end) => {
        ".cfi_endproc"
    };
    (bind $register:literal) => {
        concat!("ldr ", $register, ", [x15]\nldr x16, [x15, #8]\nbr x16")
    };
    (move $to:literal $from:literal) => {
        concat!("mov ", $to, ", ", $from)
    };
    (stack_pointer first) => {
        "mov x0, sp"
    };
    (stack_pointer fourth) => {
        "mov x3, sp"
    };
    (return_address second) => {
        "mov x1, x30"
    };
    (go_on) => {
        "b {to}"
    };
    (stack_pointer) => {
        "mov {}, sp"
    };
}
pub(crate) use text;

adapters! {
    statictramp_bind_0 "x0"
    statictramp_bind_1 "x1"
    statictramp_bind_2 "x2"
    statictramp_bind_3 "x3"
    statictramp_bind_4 "x4"
    statictramp_bind_5 "x5"
    statictramp_bind_6 "x6"
    statictramp_bind_7 "x7"
}

#[cfg(target_os = "linux")]
macro_rules! address_of_thread_word {
    ($symbol:expr, $word:ident) => {
        core::arch::asm!(
            concat!("adrp {0}, :gottprel:", $symbol),
            concat!("ldr {0}, [{0}, :gottprel_lo12:", $symbol, "]"),
            "mrs {1}, tpidr_el0",
            "add {0}, {0}, {1}",
            out(reg) $word, out(reg) _, options(nomem, nostack, preserves_flags),
        )
    };
}
#[cfg(target_os = "linux")]
pub(super) use address_of_thread_word;
