//! Passing a closure's address as an extra argument (RISC-V ELF psABI, chapter "Integer Calling Convention"). Integer
//! arguments are passed in a0 to a7. An argument larger than two words is passed by reference, unless it is in
//! floating-point registers. A compiler knows from the types how many registers the arguments take, but this code knows
//! only the maximum: `integer_registers`, plus one for the pointer to a result in memory. `eight_registers.rs`
//! describes the four ways of passing the address.

pub(crate) use crate::arch::eight_registers::Passing;
use crate::arch::signature::Signature;

#[cfg(target_os = "linux")]
pub(crate) use thread_words::{pass, take};

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    let hidden = signature.result.size > 2 * size_of::<usize>();
    // With 4-byte integer registers and 8-byte floating-point registers, a struct of two `f64` is returned in
    // registers, without a hidden pointer.
    let is_sure = size_of::<usize>() == 8 || !matches!(signature.result.size, 9..=16);
    match signature.integer_registers() + hidden as usize {
        0..=3 => Passing::After,
        4..=6 if !is_sure => panic!(
            "on this target, a closure with a result of 9 to 16 bytes can take at most two registers' worth of \
             arguments: pass a reference to a struct that contains the arguments"
        ),
        4..=6 if hidden => Passing::AfterResult,
        4..=6 => Passing::Before,
        #[cfg(target_os = "linux")]
        _ => Passing::ThreadWords,
        #[cfg(not(target_os = "linux"))]
        _ => panic!(
            "on this target, a closure can take at most six registers' worth of arguments, five if the result is \
             returned in memory: pass a reference to a struct that contains the arguments"
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
                "mv a3, t2",
                "mv a4, t2",
                "mv a5, t2",
                "mv a6, t2",
                "tail {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::Before => $define!(
                $signature, (holder: *const H, _: usize,), (), holder,
                ".cfi_startproc",
                "mv a7, a5",
                "mv a6, a4",
                "mv a5, a3",
                "mv a4, a2",
                "mv a3, a1",
                "mv a2, a0",
                "mv a0, t2",
                "tail {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::AfterResult => $define!(
                $signature, (holder: *const H, _: usize,), (), holder,
                ".cfi_startproc",
                "mv a7, a5",
                "mv a6, a4",
                "mv a5, a3",
                "mv a4, a2",
                "mv a3, a1",
                "mv a1, t2",
                "tail {enter}",
                ".cfi_endproc",
            ),
            #[cfg(target_os = "linux")]
            adapters::Passing::ThreadWords => $define!(
                $signature, (), (), adapters::take::<H>(),
                ".cfi_startproc",
                "lla t4, {enter}",
                "li t5, {stack}",
                "tail {pass}",
                ".cfi_endproc",
                stack = const Self::SIGNATURE.stack_beyond_eight(),
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
/// | t2 | the closure's address, from the stub |
/// | t4 | the function to call, from the adapter |
/// | t5 | maximum size in bytes of the signature's stack arguments, from the adapter |
/// | t1 | the address of the thread-local words |
/// | t0, t3, t6 | temporary; in `take_pending`, t0 holds the passed address |
///
/// The routines may clobber these registers, and preserve all others.
#[cfg(target_os = "linux")]
mod thread_words {
    use crate::arch::in_thread::{pending, take};

    /// Passes the closure's address to the function whose address is in t4.
    #[unsafe(naked)]
    pub(crate) extern "C" fn pass() {
        core::arch::naked_asm!(
            ".cfi_startproc",
            concat!("la.tls.ie t1, ", pending!()),
            "add t1, t1, tp",
            "ld t3, 0(t1)", // the pending address
            "bnez t3, 2f",
            "sd t2, 0(t1)", // no address is pending: the fast path
            "jr t4",
            "2: addi sp, sp, -32", // the slow path: makes a frame for the record and two saved registers
            ".cfi_def_cfa_offset 32",
            "sd ra, 24(sp)",
            "sd s0, 16(sp)",
            ".cfi_offset ra, -8",
            ".cfi_offset s0, -16",
            "addi s0, sp, 32",
            ".cfi_def_cfa s0, 0",
            "ld t0, 8(t1)",
            "sd t3, 0(sp)", // the record
            "sd t0, 8(sp)",
            "mv t3, sp",
            "add t6, s0, t5", // the end of the caller's stack arguments
            "3: beqz t5, 4f", // copies downwards, so that no guard page is skipped
            "addi t6, t6, -16",
            "addi sp, sp, -16",
            "ld t0, 8(t6)",
            "sd t0, 8(sp)",
            "ld t0, 0(t6)",
            "sd t0, 0(sp)",
            "addi t5, t5, -16",
            "j 3b",
            "4: sd t3, 8(t1)", // stored first: a signal handler before the next store must find the previous address
            "sd t2, 0(t1)",
            "jalr t4",
            "addi sp, s0, -32",
            ".cfi_def_cfa sp, 32",
            "ld ra, 24(sp)",
            "ld s0, 16(sp)",
            ".cfi_restore ra",
            ".cfi_restore s0",
            "addi sp, sp, 32",
            ".cfi_def_cfa_offset 0",
            "ret",
            ".cfi_endproc",
        )
    }

    /// Returns the passed address in t0 and restores the previous contents of the thread-local words. Clobbers t1 and
    /// t3 to t5.
    #[unsafe(naked)]
    extern "C" fn take_pending() {
        core::arch::naked_asm!(
            ".cfi_startproc",
            concat!("la.tls.ie t1, ", pending!()),
            "add t1, t1, tp",
            "ld t0, 0(t1)",
            "ld t3, 8(t1)",
            "bnez t3, 2f",
            "sd zero, 0(t1)", // no address was pending before
            "ret",
            "2: ld t4, 0(t3)",
            "ld t5, 8(t3)",
            "sd t5, 8(t1)",
            "sd t4, 0(t1)",
            "ret",
            ".cfi_endproc",
        )
    }

    take!("call {take}" => "t0", changing "t1" "t3" "t4" "t5" "ra");
}
