//! RISC-V ELF psABI, chapter "Procedure Calling Convention", LP64D; of a struct of scalars LLVM returns up to two, in a0 and a1,
//! fa0 and fa1.

use super::{Call, Callee, enter};

pub(super) const INTEGERS: usize = 8;
pub(super) const FLOATS: usize = 8;
pub(super) const RETURNED_INTEGERS: usize = 2;
pub(super) const RETURNED_FLOATS: usize = 2;
pub(super) const RETURNED_TOGETHER: usize = 2;
pub(super) const HIDDEN_APART: bool = false;
/// The D extension, section "NaN Boxing of Narrower Values".
pub(super) const HIGH_HALF: u64 = 0xffff_ffff_0000_0000;

#[unsafe(naked)]
pub(super) extern "C" fn adapter<F: Callee<Args>, Args>() {
    core::arch::naked_asm!(
        ".option push",
        ".option arch, +d", // the assembler is not told of what the target has
        ".cfi_startproc",
        "addi sp, sp, -16",
        ".cfi_def_cfa_offset 16",
        "sd ra, 8(sp)",
        "sd s0, 0(sp)",
        ".cfi_offset ra, -8",
        ".cfi_offset s0, -16",
        "addi s0, sp, 16",
        ".cfi_def_cfa s0, 0",
        "addi sp, sp, -{size}",
        "sd a0, 0(sp)",
        "sd a1, 8(sp)",
        "sd a2, 16(sp)",
        "sd a3, 24(sp)",
        "sd a4, 32(sp)",
        "sd a5, 40(sp)",
        "sd a6, 48(sp)",
        "sd a7, 56(sp)",
        "fsd fa0, 64(sp)",
        "fsd fa1, 72(sp)",
        "fsd fa2, 80(sp)",
        "fsd fa3, 88(sp)",
        "fsd fa4, 96(sp)",
        "fsd fa5, 104(sp)",
        "fsd fa6, 112(sp)",
        "fsd fa7, 120(sp)",
        "sd s0, {stack}(sp)",
        "mv a0, sp",
        "mv a1, t2",
        "call {enter}",
        "ld a0, {returned}(sp)",
        "ld a1, {returned} + 8(sp)",
        "fld fa0, {returned} + 16(sp)",
        "fld fa1, {returned} + 24(sp)",
        "addi sp, s0, -16",
        ".cfi_def_cfa sp, 16",
        "ld ra, 8(sp)",
        "ld s0, 0(sp)",
        "addi sp, sp, 16",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore ra",
        ".cfi_restore s0",
        "ret",
        ".cfi_endproc",
        ".option pop",
        size = const size_of::<Call>().next_multiple_of(16),
        stack = const core::mem::offset_of!(Call, stack),
        returned = const core::mem::offset_of!(Call, returned),
        enter = sym enter::<F, Args>,
    )
}
