//! Passing a closure's address as an extra argument (AAPCS64, section 6.8.2). Integer arguments are passed in x0 to x7.
//! Arguments larger than two words are passed by reference, except homogeneous floating-point and vector aggregates. A
//! compiler knows from the types how many registers the arguments take, but this code knows only the maximum,
//! `integer_registers`. Three of the ways described in `eight_registers.rs` suffice, because a pointer to a result in
//! memory has its own register (x8).

pub(crate) use crate::arch::eight_registers::Passing;
use crate::arch::signature::Signature;

#[cfg(target_os = "linux")]
pub(crate) use thread_words::{pass, stack, take};

const _: () = assert!(usize::BITS == 64, "the AArch64 adapters require 64-bit pointers");

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    match signature.integer_registers() {
        0..=3 => Passing::After,
        4..=6 => Passing::Before,
        #[cfg(target_os = "linux")]
        _ => Passing::ThreadWords,
        #[cfg(not(target_os = "linux"))]
        _ => panic!(
            "on this target, a closure can take at most six registers' worth of arguments: pass a reference to a \
             struct that contains the arguments"
        ),
    }
}

/// Defines the adapter for a signature, using `define_adapter!` from `src/closure/adapters.rs`.
macro_rules! instructions {
    ($passing:expr, $define:ident $signature:tt) => {
        match $passing {
            adapters::Passing::After => $define!(
                $signature, (), (_: usize, _: usize, _: usize, holder: *const H), holder,
                ".cfi_startproc",
                "hint #34", // bti c
                "mov x3, x15",
                "mov x4, x15",
                "mov x5, x15",
                "mov x6, x15",
                "b {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::Before => $define!(
                $signature, (holder: *const H, _: usize,), (), holder,
                ".cfi_startproc",
                "hint #34", // bti c
                "mov x7, x5",
                "mov x6, x4",
                "mov x5, x3",
                "mov x4, x2",
                "mov x3, x1",
                "mov x2, x0",
                "mov x0, x15",
                "b {enter}",
                ".cfi_endproc",
            ),
            #[cfg(target_os = "linux")]
            adapters::Passing::ThreadWords => $define!(
                $signature, (), (), adapters::take::<H>(),
                ".cfi_startproc",
                "hint #34", // bti c
                "adrp x9, {enter}", // the function for the signature
                "add x9, x9, :lo12:{enter}",
                "mov x10, {stack}", // the size is a multiple of 16
                "b {pass}", // a jump, not a call, so x30 keeps the caller's return address
                ".cfi_endproc",
                stack = const adapters::stack(&Self::SIGNATURE),
                pass = sym adapters::pass,
            ),
        }
    };
}
pub(crate) use instructions;

/// Passes a closure's address in thread-local words, as described in `src/arch/in_thread.rs`. This module is the
/// reference and explains nearly every instruction; the other processors' modules explain only their differences.
///
/// | register | holds |
/// |---|---|
/// | x0 to x8, q0 to q7 | the caller's arguments, which are never touched |
/// | x15 | the closure's address, from the stub |
/// | x9 | the function to call, from the adapter |
/// | x10 | maximum size in bytes of the signature's stack arguments, from the adapter; in `take_pending` the passed address |
/// | x16 | the address of the thread-local words |
/// | x11 to x13, x17 | temporary |
///
/// The adapter, `pass` and `take_pending` may clobber all registers in the table except the argument registers.
#[cfg(target_os = "linux")]
mod thread_words {
    use crate::arch::in_thread::{pending, take};
    use crate::arch::signature::Signature;

    /// Returns the maximum total size, in bytes, of the stack arguments. Among arguments larger than two words, only
    /// homogeneous floating-point and vector aggregates (at most 64 bytes) are passed by value. Aligning an argument
    /// whose size is a multiple of 16 bytes may leave a register or a stack word unused.
    ///
    /// If an argument is on the stack, at least two of the counted words are in registers. An integer, pointer or other
    /// struct goes to the stack only after at least seven of x0 to x7 have been filled or skipped, so at least seven of
    /// the counted words are not on the stack. The floating-point or vector values of an argument go to the stack
    /// together, and only once at least five of v0 to v7 are filled. Filling five registers takes at least two
    /// arguments, each at least one word long, for example `(f16, [f16; 4])` with the array in a struct.
    pub(crate) const fn stack(signature: &Signature<'_>) -> usize {
        let (mut words, mut i) = (0usize, 0);
        while i < signature.arguments.len() {
            words += match signature.arguments[i].size {
                size @ 0..=64 => signature.arguments[i].words() + (size % 16 == 0) as usize,
                _ => 1,
            };
            i += 1;
        }
        (8 * words.saturating_sub(2)).next_multiple_of(16)
    }

    /// Loads the address of the thread-local words into x16. Clobbers x17.
    macro_rules! address {
        () => {
            concat!(
                "adrp x16, :gottprel:",
                pending!(),
                "\n",
                "ldr x16, [x16, :gottprel_lo12:",
                pending!(),
                "]\n",
                "mrs x17, tpidr_el0\n",
                "add x16, x16, x17",
            )
        };
    }

    /// Passes the closure's address, in x15, to the function whose address is in x9. On entry, x10 contains the maximum
    /// total size of the stack arguments, in bytes.
    #[unsafe(naked)]
    pub(crate) extern "C" fn pass() {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "hint #34", // bti c
            address!(),
            "ldr x17, [x16]", // the pending address
            "cbnz x17, 2f", // an address is pending: a signal interrupted another call, or siglongjmp left a handler
            "str x15, [x16]", // no address is pending: the fast path
            "mov x16, x9",  // a jump through x16 may land on a `bti c`
            "br x16",
            "2: stp x29, x30, [sp, #-32]!", // the slow path: makes a frame for x29, x30 and the 16-byte record
            ".cfi_def_cfa_offset 32",
            ".cfi_offset x29, -32",
            ".cfi_offset x30, -24",
            "mov x29, sp",
            ".cfi_def_cfa_register x29",
            "ldr x11, [x16, #8]",       // the address of the previous record, or 0
            "stp x17, x11, [x29, #16]", // the record: the previous pending address and the previous record's address
            "add x13, x29, #32",        // the caller's first argument on the stack
            "add x13, x13, x10",        // the end of the copied arguments
            "3: cbz x10, 4f",           // copies downwards, so that no guard page is skipped
            "ldp x11, x12, [x13, #-16]!",
            "stp x11, x12, [sp, #-16]!",
            "sub x10, x10, #16", // each iteration copies 16 bytes
            "b 3b",
            "4: add x11, x29, #16", // the record's address
            "str x11, [x16, #8]", // stored first: a signal handler before the next store must find the previous address
            "str x15, [x16]",
            "blr x9", // a call, not a jump, because the frame must exist until the function returns
            "mov sp, x29", // removes the copied arguments
            ".cfi_def_cfa_register sp",
            "ldp x29, x30, [sp], #32",
            ".cfi_def_cfa_offset 0",
            ".cfi_restore x29",
            ".cfi_restore x30",
            "ret",
            ".cfi_endproc",
        )
    }

    /// Returns the passed address in x10 and restores the previous contents of the thread-local words. Clobbers x11 to
    /// x13, x16 and x17.
    #[unsafe(naked)]
    extern "C" fn take_pending() {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "hint #34", // bti c
            address!(),
            "ldp x10, x11, [x16]", // the passed address, and the record's address or 0
            "cbnz x11, 2f",
            "str xzr, [x16]", // no address was pending before
            "ret",
            "2: ldp x12, x13, [x11]", // the previous pending address, and the previous record's address
            "str x13, [x16, #8]", // in the same order as in `pass`: the record's address first, then the pending address
            "str x12, [x16]",
            "ret",
            ".cfi_endproc",
        )
    }

    take!("bl {take}" => "x10", changing "x11" "x12" "x13" "x16" "x17" "x30");
}
