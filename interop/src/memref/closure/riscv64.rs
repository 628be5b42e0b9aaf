//! RISC-V ELF psABI, chapter "Procedure Calling Convention", LP64D; of a struct of scalars LLVM returns up to two, in a0 and a1,
//! fa0 and fa1.

pub(super) const INTEGERS: usize = 8;
pub(super) const FLOATS: usize = 8;
pub(super) const FLOAT_WORDS: usize = 1;
pub(super) const FLOATS_GO_ON_IN_INTEGERS: bool = true;
pub(super) const FLOATS_PASS_OVER_INTEGERS: bool = false;
pub(super) const RETURNED_INTEGERS: usize = 2;
pub(super) const RETURNED_FLOATS: [usize; 3] = [2, 2, 2];
pub(super) const RETURNED_ON_X87: usize = 0;
pub(super) const RETURNED_TOGETHER: usize = 2;
pub(super) const SRET_REGISTER: bool = false;

/// A floating-point number's bits are the low ones.
pub(super) const fn of_register(register: u64, _bytes: usize) -> u64 {
    register
}

/// All bits above are set (the D extension, section "NaN Boxing of Narrower Values").
pub(super) const fn in_register(bits: u64, bytes: usize) -> u64 {
    match bytes {
        8 => bits,
        _ => bits | u64::MAX << (8 * bytes),
    }
}

macro_rules! text {
    (frame) => {
        concat!(
            ".option push\n",
            ".option arch, +d\n", // the assembler is not told of what the target has
            "addi sp, sp, -16\n",
            ".cfi_def_cfa_offset 16\n",
            "sd ra, 8(sp)\n",
            "sd s0, 0(sp)\n",
            ".cfi_offset ra, -8\n",
            ".cfi_offset s0, -16\n",
            "addi s0, sp, 16\n",
            ".cfi_def_cfa s0, 0\n",
            "addi sp, sp, -{size}\n",
        )
    };
    (keep) => {
        concat!(
            "sd a0, 0(sp)\n",
            "sd a1, 8(sp)\n",
            "sd a2, 16(sp)\n",
            "sd a3, 24(sp)\n",
            "sd a4, 32(sp)\n",
            "sd a5, 40(sp)\n",
            "sd a6, 48(sp)\n",
            "sd a7, 56(sp)\n",
            "fsd fa0, 64(sp)\n",
            "fsd fa1, 72(sp)\n",
            "fsd fa2, 80(sp)\n",
            "fsd fa3, 88(sp)\n",
            "fsd fa4, 96(sp)\n",
            "fsd fa5, 104(sp)\n",
            "fsd fa6, 112(sp)\n",
            "fsd fa7, 120(sp)\n",
            "sd s0, {stack}(sp)\n",
        )
    };
    (call) => {
        concat!("mv a0, sp\n", "mv a1, t2\n", "call {enter}\n",)
    };
    (results) => {
        concat!(
            "ld a0, {returned}(sp)\n",
            "ld a1, {returned} + 8(sp)\n",
            "fld fa0, {returned} + 16(sp)\n",
            "fld fa1, {returned} + 24(sp)\n",
        )
    };
    (leave) => {
        concat!(
            "addi sp, s0, -16\n",
            ".cfi_def_cfa sp, 16\n",
            "ld ra, 8(sp)\n",
            "ld s0, 0(sp)\n",
            "addi sp, sp, 16\n",
            ".cfi_def_cfa_offset 0\n",
            ".cfi_restore ra\n",
            ".cfi_restore s0\n",
            "ret\n",
            ".option pop\n",
        )
    };
}
pub(super) use text;

// The places that the text above counts, in `SavedCall` and behind `{returned}`.
const _: () = {
    use super::{Returned, SavedCall};
    use core::mem::offset_of;
    assert!(offset_of!(SavedCall, integers) == 0 && offset_of!(SavedCall, floats) == 64);
    assert!(offset_of!(Returned, integers) == 0 && offset_of!(Returned, floats) == 16);
};
