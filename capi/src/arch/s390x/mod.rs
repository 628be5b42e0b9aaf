//! s390x (ELF ABI s390x Supplement, section "Parameter Passing"): the static chain travels in r0. r6 takes an argument, too,
//! but belongs to the caller, who gets back there what it passed: no adapter may write to it.

pub(crate) mod bind_first;

macro_rules! text {
    (begin) => {
        ".cfi_startproc"
    };
    (end) => {
        ".cfi_endproc"
    };
    (bind $register:literal) => {
        concat!("lgr %r1, %r0\nlg ", $register, ", 0(%r1)\nlg %r1, 8(%r1)\nbr %r1")
    };
    (move $to:literal $from:literal) => {
        concat!("lgr ", $to, ", ", $from)
    };
    (stack_pointer first) => {
        "lgr %r2, %r15"
    };
    (stack_pointer fourth) => {
        "lgr %r5, %r15"
    };
    (return_address second) => {
        "lgr %r3, %r14"
    };
    (go_on) => {
        "jg {to}"
    };
    (stack_pointer) => {
        "lgr {}, %r15"
    };
}
pub(crate) use text;

adapters! {
    statictramp_bind_0 "%r2"
    statictramp_bind_1 "%r3"
    statictramp_bind_2 "%r4"
    statictramp_bind_3 "%r5"
}

#[cfg(unix)]
macro_rules! address_of_thread_word {
    ($symbol:expr, $word:ident) => {
        core::arch::asm!(
            concat!("lgrl {0}, ", $symbol, "@indntpoff"),
            "ear {1}, %a0",
            "sllg {1}, {1}, 32",
            "ear {1}, %a1",
            "agr {0}, {1}",
            out(reg) $word, out(reg) _, options(nomem, nostack),
        )
    };
}
#[cfg(unix)]
pub(super) use address_of_thread_word;
