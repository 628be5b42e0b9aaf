//! Passing a closure's address as an extra argument (Power ELFv2 ABI, section 2.2.4.1). The first eight doublewords are
//! in r3 to r10. `doublewords.rs` describes the four ways of passing the address.

pub(crate) use crate::arch::doublewords::{Passing, passing, position_after, stack};
use crate::arch::in_thread::pending;
pub(crate) use crate::arch::in_thread::take_in_rust as take;

/// The first doubleword's register number.
pub(crate) const FIRST: usize = 3;

/// Defines the adapter for a signature, using `define_adapter!` from `src/closure/adapters.rs`.
macro_rules! instructions {
    ($passing:expr, $define:ident $signature:tt) => {
        match $passing {
            adapters::Passing::Next => $define!(
                $signature, (), (holder: *const H), holder,
                ".cfi_startproc",
                "77: addis 12, 12, ({enter} - 77b)@ha",
                "addi 12, 12, ({enter} - 77b)@l",
                "mr {next}, 11",
                "mtctr 12",
                "bctr",
                ".cfi_endproc",
                next = const adapters::FIRST + adapters::position_after(&Self::SIGNATURE, 0),
            ),
            adapters::Passing::AfterResult => $define!(
                $signature, (), (_: usize, holder: *const H), holder,
                ".cfi_startproc",
                "77: addis 12, 12, ({enter} - 77b)@ha",
                "addi 12, 12, ({enter} - 77b)@l",
                "mr {second}, 11",
                "mr {third}, 11",
                "mtctr 12",
                "bctr",
                ".cfi_endproc",
                second = const adapters::FIRST + adapters::position_after(&Self::SIGNATURE, 1),
                third = const adapters::FIRST + adapters::position_after(&Self::SIGNATURE, 2),
            ),
            adapters::Passing::After => $define!(
                $signature, (), (_: usize, _: usize, _: usize, holder: *const H), holder,
                ".cfi_startproc",
                "77: addis 12, 12, ({enter} - 77b)@ha",
                "addi 12, 12, ({enter} - 77b)@l",
                "mr 6, 11",
                "mr 7, 11",
                "mr 8, 11",
                "mr 9, 11",
                "mtctr 12",
                "bctr",
                ".cfi_endproc",
            ),
            adapters::Passing::ThreadWords => $define!(
                $signature, (), (), adapters::take::<H>(),
                // The data for `pass` does not fit in registers, so it follows the instructions, at known distances
                // from the adapter's address, which is in r0.
                ".cfi_startproc",
                "77: mr 0, 12",
                "addis 12, 12, ({pass} - 77b)@ha",
                "addi 12, 12, ({pass} - 77b)@l",
                "mtctr 12",
                "bctr",
                ".long {stack}",       // 20
                ".quad {enter} - 77b", // 24
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
// | r0 | the adapter's address, then the pending address |
// | r12 | the routine's own address, then the address of the thread-local words, then the function's address |
// | r2 | the image's TOC pointer |
// | ctr | the adapter's address, then the function's address |
// | r29 to r31 | used only on the slow path, which saves and restores them |
//
// All other registers, including the argument registers, keep their values.

/// Passes the closure's address, in r11, to the function. The adapter's data contains the distance to the function and
/// the size of the stack arguments. r12 first contains this routine's address, and later the address of the
/// thread-local words. On the slow path, r31 contains the caller's stack pointer. Downwards from there, the frame
/// contains r31, r30, r29 and a word of padding; the record; the copy of the stack arguments; eight words in which the
/// callee may store its register arguments; and the four-word frame header.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "77: mtctr 0",
        "addis 2, 12, (.TOC. - 77b)@ha",
        "addi 2, 2, (.TOC. - 77b)@l",
        concat!("addis 12, 2, ", pending!(), "@got@tprel@ha"),
        concat!("ld 12, ", pending!(), "@got@tprel@l(12)"),
        concat!("add 12, 12, ", pending!(), "@tls"),
        "ld 0, 0(12)",
        "cmpdi 0, 0",
        "bne 2f",
        "std 11, 0(12)",
        "mfctr 12",
        "ld 11, 24(12)",
        "add 12, 12, 11",
        "mtctr 12",
        "bctr",
        "2: std 31, -8(1)", // the ABI guarantees a 288-byte red zone below the stack pointer
        "std 30, -16(1)",
        "std 29, -24(1)",
        ".cfi_offset r31, -8",
        ".cfi_offset r30, -16",
        ".cfi_offset r29, -24",
        "mr 31, 1",
        ".cfi_def_cfa_register r31",
        "ld 30, 8(12)",
        "std 0, -48(1)", // the record
        "std 30, -40(1)",
        "mflr 0",
        "std 0, 16(1)",
        ".cfi_offset lr, 16",
        "mfctr 29",
        "lwz 30, 20(29)",
        "addi 30, 30, 96",
        "addi 0, 30, 48",
        "3: cmpldi 0, 4096", // extends the frame by at most a page at a time, so that no guard page is skipped
        "ble 4f",
        "stdu 31, -4096(1)",
        "addic 0, 0, -4096",
        "b 3b",
        "4: neg 0, 0",
        "stdux 31, 1, 0",
        "5: cmpdi 30, 96",
        "beq 6f",
        "addi 30, 30, -8",
        "ldx 0, 31, 30",
        "stdx 0, 1, 30",
        "b 5b",
        "6: addi 30, 31, -48",
        "std 30, 8(12)", // stored first: a signal handler before the next store must find the previous address
        "std 11, 0(12)",
        "ld 12, 24(29)",
        "add 12, 12, 29",
        "mtctr 12",
        "bctrl",
        "mr 1, 31",
        ".cfi_def_cfa_register r1",
        "ld 0, 16(1)",
        "mtlr 0",
        ".cfi_restore lr",
        "ld 29, -24(1)",
        "ld 30, -16(1)",
        "ld 31, -8(1)",
        ".cfi_restore r29",
        ".cfi_restore r30",
        ".cfi_restore r31",
        "blr",
        ".cfi_endproc",
    )
}
