//! Passing a closure's address as an extra argument (AAPCS32, section 6.4). Arguments are passed word by word in r0 to
//! r3, including floating-point arguments unless the ABI is hard-float. A compiler knows from the types how many
//! registers the arguments take, but this code knows only the maximum. It counts each argument word, each register
//! skipped so that an argument begins in an even register, and the hidden pointer if the result exceeds a word. The
//! closure's address is passed in one of four ways:
//! - *In a register*, if the count is at most one. The function has three extra parameters after the arguments. The
//!   last parameter is in r3 if an argument or the hidden pointer takes r0, and otherwise in r2, so the adapter sets
//!   both registers to the closure's address. The adapter needs no frame.
//! - *On the stack*, if the count is at most four, so that no argument is already on the stack. The function has five
//!   extra parameters after the arguments. They occupy the remaining registers and then words on the stack. The
//!   adapter sets five words on the stack to the closure's address; the last parameter is one of them.
//! - *In a floating-point register*, with hard float, if the count exceeds four but the arguments alone take at most
//!   six words. Arguments in floating-point registers are then in d0 to d2, no matter which registers and stack words
//!   the other arguments take. The function has four extra parameters of type f64 after the arguments. The last
//!   parameter is in one of d3 to d6, because stack arguments do not keep later arguments out of these registers
//!   (AAPCS32, section 6.5, rule C.1.vfp). The adapter therefore sets all four registers to the closure's address.
//! - *In thread-local words*, for all other signatures (`in_thread.rs`). On boards, such a signature is a compile-time
//!   error.

use crate::arch::signature::Signature;

#[cfg(target_os = "linux")]
pub(crate) use thread_words::{pass, stack, take};

/// The ways of passing a closure's address.
pub(crate) enum Passing {
    InRegister,
    OnStack,
    #[cfg(target_abi = "eabihf")]
    InFloat,
    #[cfg(target_os = "linux")]
    ThreadWords,
}

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    match end((signature.result.size > 4) as usize, signature) {
        0..=1 => Passing::InRegister,
        2..=4 => Passing::OnStack,
        // An argument aligned to more than 8 bytes is a 16-byte vector. Its position must be a multiple of four words,
        // but `end` ignores this.
        #[cfg(target_abi = "eabihf")]
        _ if end(0, signature) <= 6 && signature.largest_alignment() <= 8 => Passing::InFloat,
        #[cfg(target_os = "linux")]
        _ => Passing::ThreadWords,
        #[cfg(all(not(target_os = "linux"), target_abi = "eabihf"))]
        _ => panic!(
            "on this target, a closure can take at most six words of arguments: pass a reference to a struct that \
             contains the arguments"
        ),
        #[cfg(not(any(target_os = "linux", target_abi = "eabihf")))]
        _ => panic!(
            "on this target, a closure can take at most four words of arguments, three if the result takes more than \
             one word: pass a reference to a struct that contains the arguments"
        ),
    }
}

/// Returns the position in words after the last argument. The first argument is at `start`, and each argument aligned
/// to more than a word is at the next even position.
const fn end(start: usize, signature: &Signature<'_>) -> usize {
    let (mut most, mut i) = (start, 0);
    while i < signature.arguments.len() {
        let first = if signature.arguments[i].align > 4 { most.next_multiple_of(2) } else { most };
        most = first + signature.arguments[i].words();
        i += 1;
    }
    most
}

/// Defines the adapter for a signature, using `define_adapter!` from `src/closure/adapters.rs`.
macro_rules! instructions {
    ($passing:expr, $define:ident $signature:tt) => {
        match $passing {
            #[cfg(not(thumb1))]
            adapters::Passing::InRegister => $define!(
                $signature, (), (_: usize, _: usize, holder: *const H), holder,
                "mov r2, r12",
                "mov r3, r12",
                "b {enter}",
            ),
            // In Thumb-1 code, a branch reaches only 2 KiB, so the adapter stores the function's address on the stack
            // and pops it into pc.
            #[cfg(thumb1)]
            adapters::Passing::InRegister => $define!(
                $signature, (), (_: usize, _: usize, holder: *const H), holder,
                "mov r2, r12",
                "mov r3, r12",
                "push {{r0, r1}}",
                "ldr r0, 3f",
                "str r0, [sp, #4]",
                "pop {{r0, pc}}",
                ".balign 4",
                "3: .word {enter}",
            ),
            // sp -> c | c | c | c | c | padding | r4 | lr | the end of the caller's frame
            // All these instructions exist in A32 and in every Thumb variant.
            adapters::Passing::OnStack => $define!(
                $signature, (), (_: usize, _: usize, _: usize, _: usize, holder: *const H), holder,
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
            ),
            // Both words of each register are set to the address, so its position in the register does not matter. The
            // encodings are valid in A32 and T32. Mnemonics would be rejected by LLVM, which parses the assembly
            // without the target's features when it collects a library's symbols.
            #[cfg(target_abi = "eabihf")]
            adapters::Passing::InFloat => $define!(
                $signature, (), (_: f64, _: f64, _: f64, holder: f64),
                core::ptr::with_exposed_provenance::<H>(holder.to_bits() as u32 as usize),
                ".inst 0xec4ccb13", // vmov d3, r12, r12
                ".inst 0xec4ccb14", // vmov d4, r12, r12
                ".inst 0xec4ccb15", // vmov d5, r12, r12
                ".inst 0xec4ccb16", // vmov d6, r12, r12
                "b {enter}",
            ),
            #[cfg(target_os = "linux")]
            adapters::Passing::ThreadWords => $define!(
                $signature, (), (), adapters::take::<H>(),
                ".fnstart",
                "push {{r4, r5, r6, lr}}", // `pass` restores these registers
                ".save {{r4, r5, r6, lr}}",
                "mov r4, r12",
                "ldr r5, 3f",
                "2: add r5, pc, r5",
                "ldr r6, 4f",
                "b {pass}",
                "3: .word {enter} - (2b + 8)",
                "4: .word {stack}",
                ".fnend",
                stack = const adapters::stack(&Self::SIGNATURE),
                pass = sym adapters::pass,
            ),
        }
    };
}
pub(crate) use instructions;

/// Passes a closure's address in thread-local words, as described in `src/arch/in_thread.rs`.
/// `src/arch/aarch64/adapters.rs` explains the code.
///
/// | register | holds |
/// |---|---|
/// | r4 | the closure's address, from the adapter, which copies it from r12 |
/// | r5 | the function to call, from the adapter |
/// | r6 | maximum size in bytes of the signature's stack arguments, from the adapter |
/// | r12 | the address of the thread-local words |
/// | r0, r7, lr | temporary; the fast path restores r0, r4 to r7 and lr before it jumps to the function. The slow path restores r0 before it calls the function, and r4 to r7 afterwards |
///
/// All other registers, including the argument registers, keep their values.
#[cfg(target_os = "linux")]
mod thread_words {
    use crate::arch::in_thread::{pending, take};
    use crate::arch::signature::Signature;

    /// Returns the maximum total size, in bytes, of the stack arguments. Aligning an argument whose size is a multiple
    /// of 8 bytes may leave a register or a stack word unused. If an argument is on the stack, three of the counted
    /// words are not. In one case, r0 to r2 have been filled or skipped. In the other, the counted pointer is not on
    /// the stack, an argument is in a floating-point register, and the first stack argument either needs no padding or
    /// follows an argument in registers. The tightest case is a struct of four 16-byte vectors that goes to the stack
    /// after a single `f32` (AAPCS32, section 6.5).
    pub(crate) const fn stack(signature: &Signature<'_>) -> usize {
        let (mut words, mut i) = (1usize, 0); // one word is the pointer to a result in memory
        while i < signature.arguments.len() {
            words += signature.arguments[i].words() + (signature.arguments[i].size % 8 == 0) as usize;
            i += 1;
        }
        (4 * words.saturating_sub(3)).next_multiple_of(8)
    }

    /// Loads the address of the thread-local words into r12, by calling the libc routine that returns the thread
    /// pointer in r0. The routine clobbers r0 and lr (Run-time ABI for the Arm Architecture, section 5.3.5), and the
    /// call itself may clobber r12. The expansion ends with the label `9:`.
    macro_rules! address {
        () => {
            concat!(
                "bl __aeabi_read_tp\n",
                "ldr r12, 8f\n",
                "7: ldr r12, [pc, r12]\n",
                "add r12, r0, r12\n",
                "b 9f\n",
                "8: .word ",
                pending!(),
                "(gottpoff) + (. - (7b + 8))\n",
                "9:",
            )
        };
    }

    /// Passes the closure's address, in r4, to the function whose address is in r5. r6 contains the maximum total size
    /// of the stack arguments, in bytes.
    #[unsafe(naked)]
    pub(crate) extern "C" fn pass() {
        core::arch::naked_asm!(
            ".fnstart",
            ".save {{r4, r5, r6, lr}}", // pushed by the adapter
            "push {{r0, r7}}",
            ".save {{r7}}",
            ".pad #4", // r0
            address!(),
            "ldr r7, [r12]",
            "cmp r7, #0",
            "bne 2f",
            "str r4, [r12]",
            "mov r12, r5",
            "pop {{r0, r7}}",
            "pop {{r4, r5, r6, lr}}",
            "bx r12",
            "2: ldr r0, [r12, #4]",
            "sub sp, sp, #8",
            ".pad #8",
            "str r7, [sp]", // the record
            "str r0, [sp, #4]",
            "mov r7, sp",
            ".setfp r7, sp",
            "add r0, r7, #32",
            "add r0, r0, r6",
            "3: cmp r6, #0", // copies downwards, so that no guard page is skipped
            "beq 4f",
            "ldr lr, [r0, #-4]!",
            "str lr, [sp, #-4]!",
            "sub r6, r6, #4",
            "b 3b",
            "4: str r7, [r12, #4]", // stored first: a signal handler before the next store must find the previous address
            "str r4, [r12]",
            "ldr r0, [r7, #8]",
            "blx r5",
            "add sp, r7, #16",
            "ldr r7, [r7, #12]",
            "pop {{r4, r5, r6, pc}}",
            ".fnend",
        )
    }

    /// Returns the passed address in r0 and restores the previous contents of the thread-local words. Clobbers r12, lr
    /// and the flags.
    #[unsafe(naked)]
    extern "C" fn take_pending() {
        core::arch::naked_asm!(
            ".fnstart",
            "push {{r4, lr}}",
            ".save {{r4, lr}}",
            address!(),
            "ldm r12, {{r0, r4}}",
            "cmp r4, #0",
            "bne 2f",
            "str r4, [r12]",
            "pop {{r4, pc}}",
            "2: push {{r1, r2}}",
            "ldm r4, {{r1, r2}}",
            "str r2, [r12, #4]",
            "str r1, [r12]",
            "pop {{r1, r2}}",
            "pop {{r4, pc}}",
            ".fnend",
        )
    }

    take!("bl {take}" => "r0", changing "r12" "lr");
}
