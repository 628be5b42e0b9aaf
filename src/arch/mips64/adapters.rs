//! Passing a closure's address as an extra argument (MIPSpro N32 ABI Handbook, chapter 2). The first eight doublewords
//! of the arguments are in $4 to $11, or in the floating-point registers at the same positions. `doublewords.rs`
//! describes the four ways of passing the address. On entry to an adapter, $15 contains the closure's address, and $25
//! contains the adapter's own address, from which the adapter computes the address of the global offset table.

pub(crate) use crate::arch::doublewords::{Passing, passing, position_after, stack};
use crate::arch::in_thread::pending;
pub(crate) use crate::arch::in_thread::take_in_rust as take;

/// The first doubleword's register number.
pub(crate) const FIRST: usize = 4;

/// Defines the adapter for a signature, using `define_adapter!` from `src/closure/adapters.rs`.
macro_rules! instructions {
    ($passing:expr, $define:ident $signature:tt) => {
        match $passing {
            adapters::Passing::Next => $define!(
                $signature, (), (holder: *const H), holder,
                ".cfi_startproc",
                "77: lui $24, %hi(%neg(%gp_rel(77b)))",
                "daddu $24, $24, $25",
                "daddiu $24, $24, %lo(%neg(%gp_rel(77b)))",
                "ld $25, %got_disp({enter})($24)",
                "move ${next}, $15",
                "jr $25",
                ".cfi_endproc",
                next = const adapters::FIRST + adapters::position_after(&Self::SIGNATURE, 0),
            ),
            adapters::Passing::AfterResult => $define!(
                $signature, (), (_: usize, holder: *const H), holder,
                ".cfi_startproc",
                "77: lui $24, %hi(%neg(%gp_rel(77b)))",
                "daddu $24, $24, $25",
                "daddiu $24, $24, %lo(%neg(%gp_rel(77b)))",
                "ld $25, %got_disp({enter})($24)",
                "move ${second}, $15",
                "move ${third}, $15",
                "jr $25",
                ".cfi_endproc",
                second = const adapters::FIRST + adapters::position_after(&Self::SIGNATURE, 1),
                third = const adapters::FIRST + adapters::position_after(&Self::SIGNATURE, 2),
            ),
            adapters::Passing::After => $define!(
                $signature, (), (_: usize, _: usize, _: usize, holder: *const H), holder,
                ".cfi_startproc",
                "77: lui $24, %hi(%neg(%gp_rel(77b)))",
                "daddu $24, $24, $25",
                "daddiu $24, $24, %lo(%neg(%gp_rel(77b)))",
                "ld $25, %got_disp({enter})($24)",
                "move $7, $15",
                "move $8, $15",
                "move $9, $15",
                "move $10, $15",
                "jr $25",
                ".cfi_endproc",
            ),
            adapters::Passing::ThreadWords => $define!(
                $signature, (), (), adapters::take::<H>(),
                ".cfi_startproc",
                "77: lui $24, %hi(%neg(%gp_rel(77b)))",
                "daddu $24, $24, $25",
                "daddiu $24, $24, %lo(%neg(%gp_rel(77b)))",
                "ld $25, %got_disp({pass})($24)",
                "ld $24, %got_disp({enter})($24)",
                "li $13, {stack}",
                "jr $25",
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
// | $15 | the closure's address, from the stub |
// | $24 | the function to call, from the adapter |
// | $13 | maximum size in bytes of the signature's stack arguments, from the adapter |
// | $3 | the address of the thread-local words |
// | $2, $12, $14 | temporary |
//
// `pass` may clobber these registers and $25, which contains the address of `pass` on entry. All other registers are
// preserved.

/// Passes the closure's address to the function whose address is in $24.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "77: lui $2, %hi(%neg(%gp_rel(77b)))",
        "daddu $2, $2, $25",
        "daddiu $2, $2, %lo(%neg(%gp_rel(77b)))",
        concat!("ld $3, %gottprel(", pending!(), ")($2)"),
        "rdhwr $2, $29",
        "daddu $3, $3, $2",
        "ld $12, 0($3)", // the pending address
        "bnez $12, 2f",
        "sd $15, 0($3)", // no address is pending: the fast path
        "move $25, $24",
        "jr $25",
        "2: daddiu $29, $29, -32", // the slow path: makes a frame for the record and two saved registers
        ".cfi_def_cfa_offset 32",
        "sd $31, 24($29)",
        "sd $30, 16($29)",
        ".cfi_offset 31, -8",
        ".cfi_offset 30, -16",
        "daddiu $30, $29, 32",
        ".cfi_def_cfa 30, 0",
        "ld $2, 8($3)",
        "sd $12, 0($29)", // the record
        "sd $2, 8($29)",
        "move $12, $29",
        "daddu $14, $30, $13", // the end of the caller's stack arguments
        "3: beqz $13, 4f",     // copies downwards, so that no guard page is skipped
        "daddiu $14, $14, -16",
        "daddiu $29, $29, -16",
        "ld $2, 8($14)",
        "sd $2, 8($29)",
        "ld $2, 0($14)",
        "sd $2, 0($29)",
        "daddiu $13, $13, -16",
        "b 3b",
        "4: sd $12, 8($3)", // stored first: a signal handler before the next store must find the previous address
        "sd $15, 0($3)",
        "move $25, $24",
        "jalr $25",
        "daddiu $29, $30, -32",
        ".cfi_def_cfa 29, 32",
        "ld $31, 24($29)",
        "ld $30, 16($29)",
        ".cfi_restore 31",
        ".cfi_restore 30",
        "daddiu $29, $29, 32",
        ".cfi_def_cfa_offset 0",
        "jr $31",
        ".cfi_endproc",
    )
}
