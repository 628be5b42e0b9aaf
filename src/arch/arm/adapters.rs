//! Passing a closure's address as an extra argument (AAPCS32, section 6.4). r0 to r3 take arguments word by word,
//! including floating-point arguments unless the ABI is hard-float. A compiler knows from the types how many registers
//! the arguments take. This code knows only the maximum: one register for each word, one for each register that is
//! skipped so that an argument begins in an even one, and one for a hidden pointer if the result exceeds a word. There
//! are four ways:
//! - *In a register*, for at most one word. The adapter needs no frame. The function has three extra parameters after
//!   the arguments. The last one is in r3 if an argument or the hidden pointer takes r0, and otherwise in r2. The
//!   adapter therefore sets both registers to the closure's address.
//! - *On the stack*, for at most four words, so that no argument is already on the stack. The function has five extra
//!   parameters after the arguments. These parameters take the remaining registers and then words on the stack. The
//!   adapter sets five words on the stack to the closure's address. The last parameter is one of these words.
//! - *In a floating-point register*, with hard float, for more words if the arguments take at most six. Arguments in
//!   floating-point registers are then in d0 to d2, whichever registers and words on the stack the others take. The
//!   function has four extra parameters of type f64 after the arguments. The last one is in one of d3 to d6, because no
//!   argument that is on the stack prevents a later one from taking such a register (AAPCS32, section 6.5, rule C.1.vfp).
//!   The adapter sets all four registers to the closure's address.
//! - *In thread-local words*, for all other signatures (`in_thread.rs`). On boards such a signature is a compile-time error.

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
    #[cfg(target_abi = "eabihf")]
    InFloat,
    InThread,
}

/// Selects how closures with this signature receive their address.
pub(crate) const fn way(arguments: &[SizeAlign], result: SizeAlign) -> Way {
    match end((result.size > 4) as usize, arguments) {
        0..=1 => Way::InRegister,
        2..=4 => Way::OnStack,
        #[cfg(target_abi = "eabihf")]
        _ if end(0, arguments) <= 6 && !has_quadwords(arguments) => Way::InFloat,
        _ => {
            #[cfg(target_abi = "eabihf")]
            assert!(
                HAS_THREAD_WORDS,
                "on this target, a closure can take at most six words of arguments: pass a reference to a struct \
                 that contains the arguments"
            );
            #[cfg(not(target_abi = "eabihf"))]
            assert!(
                HAS_THREAD_WORDS,
                "on this target, a closure can take at most four words of arguments, three if the result takes \
                 more than one word: pass a reference to a struct that contains the arguments"
            );
            Way::InThread
        }
    }
}

/// Returns the position after the last argument, in words. The first argument is at `start`, and each argument aligned
/// to more than a word is at the next even position.
const fn end(start: usize, arguments: &[SizeAlign]) -> usize {
    let (mut most, mut i) = (start, 0);
    while i < arguments.len() {
        let first = if arguments[i].align > 4 { most.next_multiple_of(2) } else { most };
        most = first + arguments[i].words();
        i += 1;
    }
    most
}

/// Returns whether an argument may be a 16-byte vector, which begins at a multiple of four words.
#[cfg(target_abi = "eabihf")]
const fn has_quadwords(arguments: &[SizeAlign]) -> bool {
    let mut i = 0;
    while i < arguments.len() {
        if arguments[i].align > 8 {
            return true;
        }
        i += 1;
    }
    false
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
            #[cfg(target_abi = "eabihf")]
            arch::Way::InFloat => {
                $enter!(in_float, $signature, (), (_: f64, _: f64, _: f64, holder: f64), arch::from_float(holder))
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

/// Sets d3 to d6 to the closure's address. The address is in both words, so its position in the register does not matter.
/// The encodings are those of both A32 and T32. When LLVM collects the symbols of a library, it parses its assembly without
/// the target's features, and rejects the names of these instructions.
#[cfg(target_abi = "eabihf")]
macro_rules! in_float {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".inst 0xec4ccb13", // vmov d3, r12, r12
            ".inst 0xec4ccb14", // vmov d4, r12, r12
            ".inst 0xec4ccb15", // vmov d5, r12, r12
            ".inst 0xec4ccb16", // vmov d6, r12, r12
            "b {enter}",
            enter = sym $enter,
        )
    };
}
#[cfg(target_abi = "eabihf")]
pub(crate) use in_float;

/// Returns the closure's address from the parameter that `in_float` has set.
#[cfg(target_abi = "eabihf")]
#[inline(always)]
pub(crate) fn from_float<H>(holder: f64) -> *const H {
    core::ptr::with_exposed_provenance(holder.to_bits() as u32 as usize)
}
