//! x86-64 on Windows (Microsoft's x64 calling convention): the static chain travels in r10. What has no frame needs no unwind
//! information.

pub(crate) mod bind_first;

macro_rules! text {
    (begin) => {
        ""
    };
    (end) => {
        ""
    };
    (bind $register:literal) => {
        concat!("mov ", $register, ", [r10]\njmp [r10 + 8]")
    };
    (stack_pointer first) => {
        "mov rcx, rsp"
    };
    (stack_pointer fourth) => {
        "mov r9, rsp"
    };
    (return_address second) => {
        "mov rdx, [rsp]"
    };
    (go_on) => {
        "jmp {to}"
    };
    (stack_pointer) => {
        "mov {}, rsp"
    };
}
pub(crate) use text;

adapters! {
    statictramp_bind_0 "rcx"
    statictramp_bind_1 "rdx"
    statictramp_bind_2 "r8"
    statictramp_bind_3 "r9"
}

/// As the core's `address_of_thread!` (`src/arch/x86_64/windows/mod.rs`).
macro_rules! address_of_thread_word {
    ($symbol:expr, $word:ident) => {
        core::arch::asm!(
            "mov {0:e}, dword ptr [rip + _tls_index]",
            "mov {1}, gs:[0x58]",
            "mov {0}, [{1} + 8 * {0}]",
            concat!("lea {1}, [rip + ", $symbol, "]"),
            "sub {1}, qword ptr [rip + _tls_used]",
            "add {0}, {1}",
            out(reg) $word, out(reg) _, options(nomem, nostack),
        )
    };
}
pub(super) use address_of_thread_word;
