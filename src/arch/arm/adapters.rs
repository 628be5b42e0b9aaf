//! Passing a closure's address as an extra argument (AAPCS32, section 6.4). r0 to r3 take arguments word by word,
//! including floating-point arguments unless the ABI is hard-float. A compiler knows from the types how many registers
//! the arguments take. This code knows only the maximum: one register for each word, one for each register that is
//! skipped so that an argument begins in an even one, and one for a hidden pointer if the result exceeds a word. There
//! are three ways:
//! - *In a register*, for at most one word. The adapter needs no frame. The function has three extra parameters after
//!   the arguments. The last one is in r3 if an argument or the hidden pointer takes r0, and otherwise in r2. The
//!   adapter therefore sets both registers to the closure's address.
//! - *On the stack*, for at most four words, so that no argument is already on the stack. The function has five extra
//!   parameters after the arguments. These parameters take the remaining registers and then words on the stack. The
//!   adapter sets five words on the stack to the closure's address. The last parameter is one of these words.
//! - *In thread-local words*, for more words (`in_thread.rs`). On boards such a signature is a compile-time error.

#[cfg(target_os = "linux")]
pub(crate) use super::in_thread::{jump_to_pass, pass, stack, take};
#[cfg(target_os = "linux")]
pub(crate) use crate::arch::in_thread::{HAS_THREAD_WORDS, in_thread};
#[cfg(not(target_os = "linux"))]
pub(crate) use crate::arch::no_thread::{HAS_THREAD_WORDS, in_thread, take};
use crate::arch::size_align::SizeAlign;

pub(crate) enum Way {
    InRegister,
    OnStack,
    InThread,
}

/// Selects how closures with this signature receive their address.
pub(crate) const fn way(arguments: &[SizeAlign], result: SizeAlign) -> Way {
    let mut most = (result.size > 4) as usize;
    let mut i = 0;
    while i < arguments.len() {
        let first = if arguments[i].align > 4 { most.next_multiple_of(2) } else { most };
        most = first + arguments[i].words();
        i += 1;
    }
    match most {
        0..=1 => Way::InRegister,
        2..=4 => Way::OnStack,
        _ => {
            assert!(
                HAS_THREAD_WORDS,
                "on this target, a closure can take at most four words of arguments, three if the result takes \
                 more than one word: pass a reference to a struct that contains the arguments"
            );
            Way::InThread
        }
    }
}

macro_rules! adapter {
    ($way:expr, $enter:ident $signature:tt) => {
        match $way {
            arch::Way::InRegister => {
                $enter!(in_register, $signature, (), (_: usize, _: usize, holder: *const H), holder)
            }
            arch::Way::OnStack => {
                $enter!(on_stack, $signature, (), (_: usize, _: usize, _: usize, _: usize, holder: *const H), holder)
            }
            arch::Way::InThread => $enter!(in_thread, $signature, (), (), arch::take::<H>()),
        }
    };
}
pub(crate) use adapter;

#[cfg(not(thumb1))]
macro_rules! in_register {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!("mov r2, r12", "mov r3, r12", "b {enter}", enter = sym $enter)
    };
}
/// The version for Thumb-1 code, in which a branch reaches only 2 KiB. The adapter therefore stores the function's
/// address on the stack and pops it into pc.
#[cfg(thumb1)]
macro_rules! in_register {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            "mov r2, r12",
            "mov r3, r12",
            "push {{r0, r1}}",
            "ldr r0, 3f",
            "str r0, [sp, #4]",
            "pop {{r0, pc}}",
            ".balign 4",
            "3: .word {enter}",
            enter = sym $enter,
        )
    };
}
pub(crate) use in_register;

/// Stores the closure's address in each of five words on the stack, and calls the function. All these instructions
/// exist in A32 and in every Thumb variant.
macro_rules! on_stack {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".fnstart",
            "push {{r4, lr}}",
            ".save {{r4, lr}}",
            "sub sp, sp, #24", // the size is a multiple of 8
            ".pad #24",
            "mov r4, r12",
            "str r4, [sp, #0]",
            "str r4, [sp, #4]",
            "str r4, [sp, #8]",
            "str r4, [sp, #12]",
            "str r4, [sp, #16]",
            "bl {enter}",
            "add sp, sp, #24",
            "pop {{r4, pc}}",
            ".fnend",
            enter = sym $enter,
        )
    };
}
pub(crate) use on_stack;
