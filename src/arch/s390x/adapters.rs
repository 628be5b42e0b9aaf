//! Passing a closure's address as an extra argument (ELF ABI s390x Supplement, section "Parameter Passing"). Each
//! integer argument takes one of r2 to r6, and arguments larger than a word are passed by reference. r6 is also
//! callee-saved, so no adapter may change it. Structs of any size are returned in memory, with the pointer to the
//! result in r2. This code does not know whether a type is a struct, only whether it is larger than any register. In
//! all four cases, the adapter ends with a jump and needs no frame:
//! - *Before the arguments*, if there is no result and there are at most three arguments. The arguments move up by one
//!   register, and the closure's address is in the first register. Up to three arguments fit into registers, so no
//!   argument is on the stack.
//! - *After the result*, if the result is known to be in memory and there are at most two arguments. r2 keeps its
//!   value, and the arguments move as in the previous case.
//! - *After the arguments*, if there are no arguments other than a possible result pointer. The function has two extra
//!   parameters. The second extra parameter is in r3 or r4, so the adapter sets both registers to the closure's
//!   address.
//! - *In thread-local words*, for all other signatures (`in_thread.rs`).

use crate::arch::in_thread::{pending, take};
use crate::arch::read_thread_pointer;
use crate::arch::signature::Signature;

/// The ways of passing a closure's address.
pub(crate) enum Passing {
    After,
    Before,
    AfterResult,
    ThreadWords,
}

/// Size in bytes of the largest result returned in a register: a vector, on processors that have vectors.
const LARGEST_REGISTER: usize = 16;

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    match (signature.arguments.len(), signature.result.size) {
        (0..=3, 0) => Passing::Before,
        (0..=2, size) if size > LARGEST_REGISTER => Passing::AfterResult,
        (0, _) => Passing::After,
        _ => Passing::ThreadWords,
    }
}

/// Defines the adapter for a signature, using `define_adapter!` from `src/closure/adapters.rs`.
macro_rules! instructions {
    ($passing:expr, $define:ident $signature:tt) => {
        match $passing {
            adapters::Passing::After => $define!(
                $signature, (), (_: usize, holder: *const H), holder,
                ".cfi_startproc",
                "lgr %r3, %r0",
                "lgr %r4, %r0",
                "jg {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::Before => $define!(
                $signature, (holder: *const H,), (), holder,
                ".cfi_startproc",
                "lgr %r5, %r4",
                "lgr %r4, %r3",
                "lgr %r3, %r2",
                "lgr %r2, %r0",
                "jg {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::AfterResult => $define!(
                $signature, (holder: *const H,), (), holder,
                ".cfi_startproc",
                "lgr %r5, %r4",
                "lgr %r4, %r3",
                "lgr %r3, %r0",
                "jg {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::ThreadWords => $define!(
                $signature, (), (), adapters::take::<H>(),
                ".cfi_startproc",
                "stmg %r2, %r5, 16(%r15)",
                "larl %r4, {enter}",
                "lghi %r5, {stack}",
                "jg {pass}",
                ".cfi_endproc",
                stack = const adapters::stack(&Self::SIGNATURE),
                pass = sym adapters::pass,
            ),
        }
    };
}
pub(crate) use instructions;

// Passes a closure's address in thread-local words, as described in `src/arch/in_thread.rs`.
// `src/arch/aarch64/adapters.rs` explains the code. At function entry, only r0 and r1 are unused. The adapter therefore
// stores r2 to r5 in the 160-byte save area that every caller provides at r15, and `pass` reloads them (ELF ABI s390x
// Supplement, section "The Stack Frame").
//
// | register | holds |
// |---|---|
// | r0 | the closure's address, from the stub; in `take_pending` the passed address |
// | r4 | the function to call, from the adapter |
// | r5 | maximum size in bytes of the signature's stack arguments, from the adapter |
// | r1 | the address of the thread-local words |
// | r2, r3 | temporary; `pass` reloads r2 to r5 from the caller's save area before it jumps to the function |
// | r11, r14 | used only on the slow path, which saves and restores them |
// | r12 | temporary in `take_pending` |

/// Returns the maximum total size, in bytes, of the stack arguments. Each argument takes one word, or two if it is a
/// 16-byte vector. If an argument is on the stack, at least four other arguments are in registers (eight, if the
/// argument is a vector). Each kind of argument has at least four registers, not counting the one for a result pointer.
pub(crate) const fn stack(signature: &Signature<'_>) -> usize {
    let (mut vectors, mut i) = (0usize, 0);
    while i < signature.arguments.len() {
        vectors += (signature.arguments[i].size == 16) as usize;
        i += 1;
    }
    8 * (signature.arguments.len().saturating_sub(4) + vectors.saturating_sub(8))
}

/// Passes the closure's address, in r0, to the function whose address is in r4. r5 contains the maximum total size of
/// the stack arguments, in bytes. The adapter has stored the caller's r2 to r5 in the save area.
#[unsafe(naked)]
pub(crate) extern "C" fn pass() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        read_thread_pointer!("%r1"),
        concat!("lgrl %r2, ", pending!(), "@indntpoff"),
        "agr %r1, %r2",
        "lg %r3, 0(%r1)",
        "ltgr %r3, %r3",
        "jne 2f",
        "stg %r0, 0(%r1)",
        "lgr %r1, %r4",
        "lmg %r2, %r5, 16(%r15)",
        "br %r1",
        "2: stmg %r11, %r15, 88(%r15)",
        ".cfi_offset %r11, -72",
        ".cfi_offset %r12, -64",
        ".cfi_offset %r13, -56",
        ".cfi_offset %r14, -48",
        ".cfi_offset %r15, -40",
        "lgr %r11, %r15",
        ".cfi_def_cfa_register %r11",
        "lg %r2, 8(%r1)",
        "aghi %r15, -16",
        "stg %r3, 0(%r15)", // the record
        "stg %r2, 8(%r15)",
        "lgr %r3, %r15",
        "la %r2, 160(%r5, %r11)",
        "3: ltgr %r5, %r5", // copies downwards, so that no guard page is skipped
        "je 4f",
        "aghi %r2, -8",
        "aghi %r15, -8",
        "mvc 0(8, %r15), 0(%r2)",
        "aghi %r5, -8",
        "j 3b",
        "4: aghi %r15, -160", // the save area for the callee
        "stg %r3, 8(%r1)", // stored first: a signal handler before the next store must find the previous address
        "stg %r0, 0(%r1)",
        "lgr %r1, %r4",
        "lmg %r2, %r5, 16(%r11)",
        "basr %r14, %r1",
        "lmg %r11, %r15, 88(%r11)",
        ".cfi_def_cfa %r15, 160",
        ".cfi_restore %r11",
        ".cfi_restore %r12",
        ".cfi_restore %r13",
        ".cfi_restore %r14",
        ".cfi_restore %r15",
        "br %r14",
        ".cfi_endproc",
    )
}

/// Returns the passed address in r0 and restores the previous contents of the thread-local words. Clobbers r1 and r12.
#[unsafe(naked)]
extern "C" fn take_pending() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        read_thread_pointer!("%r1"),
        concat!("lgrl %r12, ", pending!(), "@indntpoff"),
        "agr %r1, %r12",
        "lg %r0, 0(%r1)",
        "lg %r12, 8(%r1)",
        "ltgr %r12, %r12",
        "jne 2f",
        "mvghi 0(%r1), 0",
        "br %r14",
        "2: mvc 8(8, %r1), 8(%r12)",
        "mvc 0(8, %r1), 0(%r12)",
        "br %r14",
        ".cfi_endproc",
    )
}

take!("brasl %r14, {take}" => "r0", changing "r1" "r12" "r14");
