//! RISC-V (ELF psABI, chapter "Integer Calling Convention"): the static chain travels in t2.

#[cfg(target_pointer_width = "64")]
macro_rules! load_second {
    () => {
        "ld t1, 8(t2)"
    };
}
#[cfg(target_pointer_width = "64")]
macro_rules! load {
    () => {
        "ld "
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! load_second {
    () => {
        "lw t1, 4(t2)"
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! load {
    () => {
        "lw "
    };
}

macro_rules! text {
    (begin) => {
        ".cfi_startproc"
    };
    (end) => {
        ".cfi_endproc"
    };
    (bind $register:literal) => {
        concat!(load!(), $register, ", 0(t2)\n", load_second!(), "\njr t1")
    };
    (move $to:literal $from:literal) => {
        concat!("mv ", $to, ", ", $from)
    };
    (stack_pointer first) => {
        "mv a0, sp"
    };
    (stack_pointer fourth) => {
        "mv a3, sp"
    };
    (return_address second) => {
        "mv a1, ra"
    };
    (go_on) => {
        "tail {to}"
    };
    (stack_pointer) => {
        "mv {}, sp"
    };
}
pub(crate) use text;

pub(crate) mod bind_first; // behind the macros that `text!` uses

adapters! {
    statictramp_bind_0 "a0"
    statictramp_bind_1 "a1"
    statictramp_bind_2 "a2"
    statictramp_bind_3 "a3"
    statictramp_bind_4 "a4"
    statictramp_bind_5 "a5"
    statictramp_bind_6 "a6"
    statictramp_bind_7 "a7"
}

#[cfg(unix)]
macro_rules! address_of_thread_word {
    ($symbol:expr, $word:ident) => {
        core::arch::asm!(
            concat!("la.tls.ie {0}, ", $symbol),
            "add {0}, {0}, tp",
            out(reg) $word, options(nomem, nostack, preserves_flags),
        )
    };
}
#[cfg(unix)]
pub(super) use address_of_thread_word;
