//! x86 of 32 bits (System V psABI for i386, section 2.2.3): the static chain travels in ecx, all arguments on the stack. Their
//! words belong to the callee, so an adapter may write there.

pub(crate) mod bind_first;

macro_rules! text {
    (begin) => {
        ".cfi_startproc\nendbr32"
    };
    (end) => {
        ".cfi_endproc"
    };
    (bind $place:literal) => {
        concat!("mov eax, [ecx]\nmov [esp + 4 + ", $place, "], eax\njmp [ecx + 4]")
    };
    // A frame with the arguments again, and with one more: the stack pointer as it was before there were any. Whether the
    // caller has pushed them, or keeps room for them, cannot be told; so it is taken for that at most, and is a multiple of 16.
    (stack_pointer first) => {
        concat!($crate::arch::frame!(), "lea eax, [ebp + 8]\nsub esp, 4\npush eax")
    };
    (stack_pointer fourth) => {
        concat!(
            $crate::arch::frame!(),
            "lea eax, [ebp + 20 + 15]\nand eax, -16\nsub esp, 8\npush eax\n",
            "push dword ptr [ebp + 16]\npush dword ptr [ebp + 12]\npush dword ptr [ebp + 8]"
        )
    };
    (go_on) => {
        "call {to}\nleave\n.cfi_def_cfa esp, 4\n.cfi_restore ebp\nret"
    };
    (stack_pointer) => {
        "mov {}, esp"
    };
}
pub(crate) use text;

macro_rules! frame {
    () => {
        "push ebp\n.cfi_def_cfa_offset 8\n.cfi_offset ebp, -8\nmov ebp, esp\n.cfi_def_cfa_register ebp\n"
    };
}
pub(crate) use frame;

// By words of the arguments.
adapters! {
    statictramp_bind_0 "0"
    statictramp_bind_1 "4"
    statictramp_bind_2 "8"
    statictramp_bind_3 "12"
    statictramp_bind_4 "16"
    statictramp_bind_5 "20"
    statictramp_bind_6 "24"
    statictramp_bind_7 "28"
    statictramp_bind_8 "32"
    statictramp_bind_9 "36"
    statictramp_bind_10 "40"
    statictramp_bind_11 "44"
    statictramp_bind_12 "48"
    statictramp_bind_13 "52"
    statictramp_bind_14 "56"
    statictramp_bind_15 "60"
}

macro_rules! address_of_thread_word {
    ($symbol:expr, $word:ident) => {
        core::arch::asm!(
            "call 2f",
            "2: popl {0}",
            "3: addl $_GLOBAL_OFFSET_TABLE_ + (3b - 2b), {0}",
            concat!("movl ", $symbol, "@GOTNTPOFF({0}), {0}"),
            "addl %gs:0, {0}",
            out(reg) $word, options(att_syntax, nomem),
        )
    };
}
pub(super) use address_of_thread_word;
