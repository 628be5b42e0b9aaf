//! Arm (AAPCS32, section 6.1.1): the static chain travels in r12.

#[cfg(unix)]
use crate::tls::symbol;
#[cfg(unix)]
use core::arch::asm;
use core::arch::naked_asm;

/// In Thumb, of instructions that every such processor has; two registers that hold other arguments serve meanwhile.
#[cfg(target_os = "none")]
macro_rules! adapter {
    ("r0") => {
        adapter!("r0", "r2", "r3")
    };
    ("r1") => {
        adapter!("r1", "r2", "r3")
    };
    ("r2") => {
        adapter!("r2", "r0", "r1")
    };
    ("r3") => {
        adapter!("r3", "r0", "r1")
    };
    ($register:literal, $callee:literal, $pair:literal) => {
        naked_asm!(
            concat!("push {{", $callee, ", ", $pair, ", r4}}"), // the last makes room for the callee
            concat!("mov ", $pair, ", r12"),
            concat!("ldr ", $callee, ", [", $pair, ", #4]"),
            concat!("str ", $callee, ", [sp, #8]"),
            concat!("ldr ", $register, ", [", $pair, "]"),
            concat!("pop {{", $callee, ", ", $pair, ", pc}}"),
        )
    };
}
#[cfg(unix)]
macro_rules! adapter {
    ($register:literal) => {
        naked_asm!(
            ".fnstart",
            concat!("ldr ", $register, ", [r12]"),
            "ldr pc, [r12, #4]",
            ".cantunwind",
            ".fnend"
        )
    };
}
adapters! {
    statictramp_bind_0 "r0"
    statictramp_bind_1 "r1"
    statictramp_bind_2 "r2"
    statictramp_bind_3 "r3"
}

#[cfg(unix)]
macro_rules! go_on {
    (stack_pointer first, $to:path) => {
        $crate::arch::go_on!("mov r0, sp", $to)
    };
    (stack_pointer fourth, $to:path) => {
        $crate::arch::go_on!("mov r3, sp", $to)
    };
    ($instruction:literal, $to:path) => {
        core::arch::naked_asm!($instruction, "b {to}", to = sym $to)
    };
}
#[cfg(unix)]
pub(crate) use go_on;

/// The thread pointer is read by the C library's routine: how differs between processors. The routine keeps r1 to r3
/// (Run-time ABI for the Arm Architecture, section 5.3.5); what it is called through may change r12.
#[cfg(unix)]
#[inline(always)]
pub(super) fn thread_word(offset: usize) -> *mut usize {
    let word: *mut usize;
    // SAFETY: computes an address; the offset of the words from the thread pointer, and that
    // pointer, never change. r12, lr and the flags may, and the stack is aligned for a call.
    unsafe {
        asm!(
            "bl __aeabi_read_tp",
            "ldr {0}, 3f",
            "2: ldr {0}, [pc, {0}]",
            "add r0, r0, {0}",
            "b 4f",
            concat!("3: .word ", symbol!(), "(gottpoff) + (. - (2b + 8))"),
            "4:",
            out(reg) _, out("r0") word, out("r12") _, out("lr") _, options(pure, nomem),
        );
    }
    word.wrapping_byte_add(offset)
}
