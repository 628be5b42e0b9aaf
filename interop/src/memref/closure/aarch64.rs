//! AAPCS64, section 6.8.2; a struct of scalars is returned as LLVM does: up to eight words in x0 to x7, eight floating-point
//! ones and vectors in v0 to v7; x8 has the address of a result in memory.

pub(super) const INTEGERS: usize = 8;
pub(super) const FLOATS: usize = 8;
pub(super) const FLOAT_WORDS: usize = 2;
pub(super) const FLOATS_GO_ON_IN_INTEGERS: bool = false;
pub(super) const FLOATS_PASS_OVER_INTEGERS: bool = false;
pub(super) const RETURNED_INTEGERS: usize = 8;
pub(super) const RETURNED_FLOATS: [usize; 3] = [8, 8, 8];
pub(super) const RETURNED_ON_X87: usize = 0;
pub(super) const RETURNED_TOGETHER: usize = 16;
pub(super) const SRET_REGISTER: bool = true;

/// A floating-point number's bits are the low ones.
pub(super) const fn of_register(register: u64, _bytes: usize) -> u64 {
    register
}

/// The other way round.
pub(super) const fn in_register(bits: u64, _bytes: usize) -> u64 {
    bits
}

macro_rules! text {
    (frame) => {
        concat!(
            "hint #34\n", // bti c
            "stp x29, x30, [sp, #-16]!\n",
            ".cfi_def_cfa_offset 16\n",
            ".cfi_offset x29, -16\n",
            ".cfi_offset x30, -8\n",
            "mov x29, sp\n",
            ".cfi_def_cfa_register x29\n",
            "sub sp, sp, {size}\n",
        )
    };
    (keep) => {
        concat!(
            "stp x0, x1, [sp]\n",
            "stp x2, x3, [sp, #16]\n",
            "stp x4, x5, [sp, #32]\n",
            "stp x6, x7, [sp, #48]\n",
            "stp q0, q1, [sp, #64]\n",
            "stp q2, q3, [sp, #96]\n",
            "stp q4, q5, [sp, #128]\n",
            "stp q6, q7, [sp, #160]\n",
            "str x8, [sp, #192]\n",
            "add x9, x29, #16\n", // above what is kept here
            "str x9, [sp, {stack}]\n",
        )
    };
    (call) => {
        concat!("mov x0, sp\n", "mov x1, x15\n", "bl {enter}\n",)
    };
    (results) => {
        concat!(
            "ldp x0, x1, [sp, {returned}]\n",
            "ldp x2, x3, [sp, {returned} + 16]\n",
            "ldp x4, x5, [sp, {returned} + 32]\n",
            "ldp x6, x7, [sp, {returned} + 48]\n",
            "ldp q0, q1, [sp, {returned} + 64]\n",
            "ldp q2, q3, [sp, {returned} + 96]\n",
            "ldp q4, q5, [sp, {returned} + 128]\n",
            "ldp q6, q7, [sp, {returned} + 160]\n",
        )
    };
    (leave) => {
        concat!(
            "mov sp, x29\n",
            ".cfi_def_cfa_register sp\n",
            "ldp x29, x30, [sp], #16\n",
            ".cfi_def_cfa_offset 0\n",
            ".cfi_restore x29\n",
            ".cfi_restore x30\n",
            "ret\n",
        )
    };
}
pub(super) use text;

// The places that the text above counts, in `SavedCall` and behind `{returned}`; a pair of words has scaled offsets.
const _: () = {
    use super::{Returned, SavedCall};
    use core::mem::offset_of;
    assert!(offset_of!(SavedCall, integers) == 0 && offset_of!(SavedCall, floats) == 64);
    assert!(offset_of!(SavedCall, hidden) == 192 && offset_of!(SavedCall, returned) % 16 == 0);
    assert!(offset_of!(Returned, integers) == 0 && offset_of!(Returned, floats) == 64);
};
