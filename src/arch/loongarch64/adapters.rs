//! Passing a closure's address as an extra argument (LoongArch ELF psABI, section "Procedure Calling Convention").
//! Integer arguments are passed in a0 to a7. Arguments larger than two words are passed by reference. A compiler knows
//! from the types how many registers the arguments take, but this code knows only the maximum: `integer_registers`,
//! plus one for the pointer to a result in memory. `eight_registers.rs` describes the four ways of passing the address.

pub(crate) use crate::arch::eight_registers::Passing;
use crate::arch::in_thread::{pending, take};
use crate::arch::signature::Signature;

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    let hidden = signature.result.size > 16;
    match signature.integer_registers() + hidden as usize {
        0..=3 => Passing::After,
        4..=6 if hidden => Passing::AfterResult,
        4..=6 => Passing::Before,
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
                "move $a3, $t8",
                "move $a4, $t8",
                "move $a5, $t8",
                "move $a6, $t8",
                "tail36 $t7, {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::Before => $define!(
                $signature, (holder: *const H, _: usize,), (), holder,
                ".cfi_startproc",
                "move $a7, $a5",
                "move $a6, $a4",
                "move $a5, $a3",
                "move $a4, $a2",
                "move $a3, $a1",
                "move $a2, $a0",
                "move $a0, $t8",
                "tail36 $t7, {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::AfterResult => $define!(
                $signature, (holder: *const H, _: usize,), (), holder,
                ".cfi_startproc",
                "move $a7, $a5",
                "move $a6, $a4",
                "move $a5, $a3",
                "move $a4, $a2",
                "move $a3, $a1",
                "move $a1, $t8",
                "tail36 $t7, {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::ThreadWords => $define!(
                $signature, (), (), adapters::take::<H>(),
                ".cfi_startproc",
                "la.pcrel $t4, {enter}",
                "li.w $t5, {stack}",
                "tail36 $t7, {pass}",
                ".cfi_endproc",
                stack = const Self::SIGNATURE.stack_beyond_eight(),
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
// | t8 | the closure's address, from the stub |
// | t4 | the function to call, from the adapter |
// | t5 | maximum size in bytes of the signature's stack arguments, from the adapter |
// | t1 | the address of the thread-local words |
// | t0, t3, t6 | temporary; in `take_pending`, t0 holds the passed address |
//
// The routines may clobber these registers, and preserve all others.

/// Passes the closure's address to the function whose address is in t4.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        concat!("la.tls.ie $t1, ", pending!()),
        "add.d $t1, $t1, $tp",
        "ld.d $t3, $t1, 0", // the pending address
        "bnez $t3, 2f",
        "st.d $t8, $t1, 0", // no address is pending: the fast path
        "jr $t4",
        "2: addi.d $sp, $sp, -32", // the slow path: makes a frame for the record and two saved registers
        ".cfi_def_cfa_offset 32",
        "st.d $ra, $sp, 24",
        "st.d $fp, $sp, 16",
        ".cfi_offset 1, -8",
        ".cfi_offset 22, -16",
        "addi.d $fp, $sp, 32",
        ".cfi_def_cfa 22, 0",
        "ld.d $t0, $t1, 8",
        "st.d $t3, $sp, 0", // the record
        "st.d $t0, $sp, 8",
        "move $t3, $sp",
        "add.d $t6, $fp, $t5", // the end of the caller's stack arguments
        "3: beqz $t5, 4f",     // copies downwards, so that no guard page is skipped
        "addi.d $t6, $t6, -16",
        "addi.d $sp, $sp, -16",
        "ld.d $t0, $t6, 8",
        "st.d $t0, $sp, 8",
        "ld.d $t0, $t6, 0",
        "st.d $t0, $sp, 0",
        "addi.d $t5, $t5, -16",
        "b 3b",
        "4: st.d $t3, $t1, 8", // stored first: a signal handler before the next store must find the previous address
        "st.d $t8, $t1, 0",
        "jirl $ra, $t4, 0",
        "addi.d $sp, $fp, -32",
        ".cfi_def_cfa 3, 32",
        "ld.d $ra, $sp, 24",
        "ld.d $fp, $sp, 16",
        ".cfi_restore 1",
        ".cfi_restore 22",
        "addi.d $sp, $sp, 32",
        ".cfi_def_cfa_offset 0",
        "ret",
        ".cfi_endproc",
    )
}

/// Returns the passed address in t0 and restores the previous contents of the thread-local words. Clobbers t1 and t3 to
/// t5.
#[unsafe(naked)]
extern "C" fn take_pending() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        concat!("la.tls.ie $t1, ", pending!()),
        "add.d $t1, $t1, $tp",
        "ld.d $t0, $t1, 0",
        "ld.d $t3, $t1, 8",
        "bnez $t3, 2f",
        "st.d $zero, $t1, 0", // no address was pending before
        "ret",
        "2: ld.d $t4, $t3, 0",
        "ld.d $t5, $t3, 8",
        "st.d $t5, $t1, 8",
        "st.d $t4, $t1, 0",
        "ret",
        ".cfi_endproc",
    )
}

take!("call36 {take}" => "$t0", changing "$t1" "$t3" "$t4" "$t5" "$ra");
