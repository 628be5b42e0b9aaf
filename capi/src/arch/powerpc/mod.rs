//! PowerPC of 32 bits (System V ABI, PowerPC Processor Supplement, "Parameter Passing"): the static chain travels in r11.

#[path = "../powerpc64/bind_first.rs"] // the same registers
pub(crate) mod bind_first;

macro_rules! text {
    (begin) => {
        ".cfi_startproc"
    };
    (end) => {
        ".cfi_endproc"
    };
    (bind $register:literal) => {
        concat!("lwz ", $register, ", 0(11)\nlwz 12, 4(11)\nmtctr 12\nbctr")
    };
    (move $to:literal $from:literal) => {
        concat!("mr ", $to, ", ", $from)
    };
    (stack_pointer first) => {
        "mr 3, 1"
    };
    (stack_pointer fourth) => {
        "mr 6, 1"
    };
    (return_address second) => {
        "mflr 4"
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

macro_rules! address_of_thread_word {
    ($symbol:expr, $word:ident) => {
        core::arch::asm!(
            "bcl 20, 31, 77f",
            "77: mflr {0}",
            "addis {0}, {0}, (_GLOBAL_OFFSET_TABLE_ - 77b)@ha",
            "addi {0}, {0}, (_GLOBAL_OFFSET_TABLE_ - 77b)@l",
            concat!("lwz {0}, ", $symbol, "@got@tprel({0})"),
            concat!("add {0}, {0}, ", $symbol, "@tls"),
            out(reg_nonzero) $word, out("lr") _, options(nomem, nostack, preserves_flags),
        )
    };
}
pub(super) use address_of_thread_word;
