//! Arm (AAPCS32, section 6.1.1): the static chain travels in r12.

macro_rules! text {
    (begin) => {
        ".fnstart"
    };
    (end) => {
        ".cantunwind\n.fnend"
    };
    (bind $register:tt) => {
        bind!($register)
    };
    (move $to:literal $from:literal) => {
        concat!("mov ", $to, ", ", $from)
    };
    (stack_pointer first) => {
        "mov r0, sp"
    };
    (stack_pointer fourth) => {
        "mov r3, sp"
    };
    (go_on) => {
        "b {to}"
    };
    (stack_pointer) => {
        "mov {}, sp"
    };
}
#[cfg(unix)]
pub(crate) use text;

#[cfg(unix)]
macro_rules! bind {
    ($register:literal) => {
        concat!("ldr ", $register, ", [r12]\nldr pc, [r12, #4]")
    };
}
/// In Thumb, of instructions that every such processor has; two registers that hold other arguments serve meanwhile.
#[cfg(target_os = "none")]
macro_rules! bind {
    ("r0") => {
        bind!("r0", "r2", "r3")
    };
    ("r1") => {
        bind!("r1", "r2", "r3")
    };
    ("r2") => {
        bind!("r2", "r0", "r1")
    };
    ("r3") => {
        bind!("r3", "r0", "r1")
    };
    ($register:literal, $callee:literal, $pair:literal) => {
        concat!(
            "push {{",
            $callee,
            ", ",
            $pair,
            ", r4}}\n", // the last makes room for the callee
            "mov ",
            $pair,
            ", r12\n",
            "ldr ",
            $callee,
            ", [",
            $pair,
            ", #4]\n",
            "str ",
            $callee,
            ", [sp, #8]\n",
            "ldr ",
            $register,
            ", [",
            $pair,
            "]\n",
            "pop {{",
            $callee,
            ", ",
            $pair,
            ", pc}}",
        )
    };
}

pub(crate) mod bind_first; // behind the macros that `text!` uses

adapters! {
    statictramp_bind_0 "r0"
    statictramp_bind_1 "r1"
    statictramp_bind_2 "r2"
    statictramp_bind_3 "r3"
}

/// The thread pointer is read by the C library's routine: how differs between processors. The routine keeps r1 to r3
/// (Run-time ABI for the Arm Architecture, section 5.3.5); what it is called through may change r12. r12, lr and the
/// flags may change, and the stack is aligned for a call.
#[cfg(unix)]
macro_rules! address_of_thread_word {
    ($symbol:expr, $word:ident) => {
        core::arch::asm!(
            "bl __aeabi_read_tp",
            "ldr {0}, 3f",
            "2: ldr {0}, [pc, {0}]",
            "add r0, r0, {0}",
            "b 4f",
            concat!("3: .word ", $symbol, "(gottpoff) + (. - (2b + 8))"),
            "4:",
            out(reg) _, out("r0") $word, out("r12") _, out("lr") _, options(nomem),
        )
    };
}
#[cfg(unix)]
pub(super) use address_of_thread_word;
