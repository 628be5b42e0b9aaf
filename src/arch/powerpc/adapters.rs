//! Passing a closure's address as an extra argument (System V ABI, PowerPC Processor Supplement, "Parameter Passing").
//! Integer arguments are passed in r3 to r10. A 64-bit integer takes a register pair that begins at an odd-numbered
//! register. Structs are passed by reference, and structs of any size are returned in memory, with the pointer to the
//! result in r3. A compiler knows from the types how many registers the arguments take, and whether the result is a
//! struct. This code knows only two facts: the maximum is `registers`, and a result larger than any scalar is a struct.
//! `eight_registers.rs` describes the four ways of passing the address, but "before the arguments" is used only if
//! there is no result.

use super::here_naked;
pub(crate) use crate::arch::eight_registers::Passing;
use crate::arch::in_thread::pending;
pub(crate) use crate::arch::in_thread::take_in_rust as take;
use crate::arch::signature::Signature;

/// Size in bytes of the largest result returned in registers: a 128-bit integer.
const LARGEST_SCALAR: usize = 16;

/// Returns the maximum number of integer registers that the arguments take. An argument of up to 16 bytes takes one
/// register for each word and, if it is larger than a word, one more register, because it may have to begin in an
/// odd-numbered register. A larger argument takes one register, for its address.
const fn registers(signature: &Signature<'_>) -> usize {
    let (mut most, mut i) = (0, 0);
    while i < signature.arguments.len() {
        most += match signature.arguments[i].size {
            0..=4 => 1,
            size if size <= LARGEST_SCALAR => signature.arguments[i].words() + 1,
            _ => 1,
        };
        i += 1;
    }
    most
}

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    let hidden = signature.result.size > 0;
    match registers(signature) + hidden as usize {
        0..=3 => Passing::After,
        4..=6 if !hidden => Passing::Before,
        4..=6 if signature.result.size > LARGEST_SCALAR => Passing::AfterResult,
        _ => Passing::ThreadWords,
    }
}

/// Defines the adapter for a signature, using `define_adapter!` from `src/closure/adapters.rs`.
macro_rules! instructions {
    ($passing:expr, $define:ident $signature:tt) => {
        match $passing {
            adapters::Passing::After => $define!(
                $signature, (), (_: usize, _: usize, _: usize, holder: *const H), holder,
                ".cfi_startproc",
                "mr 6, 11",
                "mr 7, 11",
                "mr 8, 11",
                "mr 9, 11",
                "b {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::Before => $define!(
                $signature, (holder: *const H, _: usize,), (), holder,
                ".cfi_startproc",
                "mr 10, 8",
                "mr 9, 7",
                "mr 8, 6",
                "mr 7, 5",
                "mr 6, 4",
                "mr 5, 3",
                "mr 3, 11",
                "b {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::AfterResult => $define!(
                $signature, (holder: *const H, _: usize,), (), holder,
                ".cfi_startproc",
                "mr 10, 8",
                "mr 9, 7",
                "mr 8, 6",
                "mr 7, 5",
                "mr 6, 4",
                "mr 4, 11",
                "b {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::ThreadWords => $define!(
                $signature, (), (), adapters::take::<H>(),
                // The data for `pass` does not fit in registers, so it follows the instructions, at known distances
                // from label 77, whose address is in r0.
                ".cfi_startproc",
                $crate::arch::here_naked!(),
                "mr 0, 12",
                "addis 12, 12, ({pass} - 77b)@ha",
                "addi 12, 12, ({pass} - 77b)@l",
                "mtctr 12",
                "bctr",
                ".long {enter} - 77b", // 28
                ".long {stack}",       // 32
                ".cfi_endproc",
                stack = const adapters::stack(&Self::SIGNATURE),
                pass = sym adapters::pass,
            ),
        }
    };
}
pub(crate) use instructions;

// Passes a closure's address in thread-local words, as described in `src/arch/in_thread.rs`.
// `src/arch/aarch64/adapters.rs` explains the code.
//
// | register | holds |
// |---|---|
// | r11 | the closure's address, from the stub |
// | r0 | the address of label 77 in the adapter, then the pending address |
// | r12 | the address of the thread-local words, then the function's address |
// | ctr | the address of label 77 in the adapter, then the function's address |
// | r29 to r31 | used only on the slow path, which saves and restores them |
//
// All other registers, including the argument registers, keep their values.

/// Returns the maximum total size, in bytes, of the stack arguments. An argument is passed on the stack only if at least
/// four words are in registers: in all of f1 to f8, or in four of r3 to r10. The pointer to the result may take one of
/// the other four integer registers, and a 128-bit integer may leave three of them unused. No register holds only part
/// of an argument word.
pub(crate) const fn stack(signature: &Signature<'_>) -> usize {
    (4 * registers(signature).saturating_sub(4)).next_multiple_of(16)
}

/// Passes the closure's address, in r11, to the function. The adapter's data contains the distance to the function
/// and the size of the stack arguments. r12 is set to the address of the thread-local words. On the slow path, r31
/// contains the caller's stack pointer. From there down, the frame contains r31, r30, r29 and a word of padding;
/// the record, at -24; two unused words; the copy of the stack arguments; and two words for the callee.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "mtctr 0",
        here_naked!(),
        "addis 12, 12, (_GLOBAL_OFFSET_TABLE_ - 77b)@ha",
        "addi 12, 12, (_GLOBAL_OFFSET_TABLE_ - 77b)@l",
        concat!("lwz 12, ", pending!(), "@got@tprel(12)"),
        concat!("add 12, 12, ", pending!(), "@tls"),
        "lwz 0, 0(12)",
        "cmpwi 0, 0",
        "bne 2f",
        "stw 11, 0(12)",
        "mfctr 12",
        "lwz 11, 28(12)",
        "add 12, 12, 11",
        "mtctr 12",
        "bctr",
        "2: stwu 1, -32(1)",
        ".cfi_def_cfa_offset 32",
        "stw 31, 28(1)",
        "stw 30, 24(1)",
        "stw 29, 20(1)",
        ".cfi_offset r31, -4",
        ".cfi_offset r30, -8",
        ".cfi_offset r29, -12",
        "addi 31, 1, 32",
        ".cfi_def_cfa r31, 0",
        "lwz 30, 4(12)",
        "stw 0, 8(1)", // the record
        "stw 30, 12(1)",
        "mflr 0",
        "stw 0, 4(31)",
        ".cfi_offset lr, 4",
        "mfctr 29",
        "lwz 30, 32(29)",
        "addi 0, 30, 16",
        "3: cmplwi 0, 4096", // extends the frame by at most a page at a time, so that no guard page is skipped
        "ble 4f",
        "stwu 31, -4096(1)",
        "addic 0, 0, -4096",
        "b 3b",
        "4: neg 0, 0",
        "stwux 31, 1, 0",
        "addi 30, 30, 8",
        "5: cmpwi 30, 8",
        "beq 6f",
        "addi 30, 30, -4",
        "lwzx 0, 31, 30",
        "stwx 0, 1, 30",
        "b 5b",
        "6: addi 30, 31, -24",
        "stw 30, 4(12)", // stored first: a signal handler before the next store must find the previous address
        "stw 11, 0(12)",
        "lwz 12, 28(29)",
        "add 12, 12, 29",
        "mtctr 12",
        "bctrl",
        "mr 11, 31", // this ABI has no red zone below the stack pointer
        ".cfi_def_cfa r11, 0",
        "lwz 0, 4(11)",
        "mtlr 0",
        ".cfi_restore lr",
        "lwz 29, -12(11)",
        "lwz 30, -8(11)",
        "lwz 31, -4(11)",
        ".cfi_restore r29",
        ".cfi_restore r30",
        ".cfi_restore r31",
        "mr 1, 11",
        ".cfi_def_cfa r1, 0",
        "blr",
        ".cfi_endproc",
    )
}
