//! LoongArch, 64 bits (ELF psABI, section "Procedure Calling Convention"): the static chain travels in t8.

pub(crate) mod bind_first;

macro_rules! text {
    (begin) => {
        ".cfi_startproc"
    };
    (end) => {
        ".cfi_endproc"
    };
    (bind $register:literal) => {
        concat!("ld.d ", $register, ", $t8, 0\nld.d $t7, $t8, 8\njr $t7")
    };
    (move $to:literal $from:literal) => {
        concat!("move ", $to, ", ", $from)
    };
    (stack_pointer first) => {
        "move $a0, $sp"
    };
    (stack_pointer fourth) => {
        "move $a3, $sp"
    };
    (return_address second) => {
        "move $a1, $ra"
    };
    (go_on) => {
        "tail36 $t7, {to}"
    };
    (stack_pointer) => {
        "move {}, $sp"
    };
}
pub(crate) use text;

adapters! {
    statictramp_bind_0 "$a0"
    statictramp_bind_1 "$a1"
    statictramp_bind_2 "$a2"
    statictramp_bind_3 "$a3"
    statictramp_bind_4 "$a4"
    statictramp_bind_5 "$a5"
    statictramp_bind_6 "$a6"
    statictramp_bind_7 "$a7"
}

macro_rules! address_of_thread_word {
    ($symbol:expr, $word:ident) => {
        core::arch::asm!(
            concat!("la.tls.ie {0}, ", $symbol),
            "add.d {0}, {0}, $tp",
            out(reg) $word, options(nomem, nostack, preserves_flags),
        )
    };
}
pub(super) use address_of_thread_word;
