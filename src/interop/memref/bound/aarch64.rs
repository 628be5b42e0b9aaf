//! AAPCS64, section 6.8.2; a struct of scalars is returned as LLVM does: up to eight words in x0 to x7, eight floating-point
//! ones in d0 to d7; x8 has the address of a result in memory.

use super::{Call, Callee, enter};

pub(super) const INTEGERS: usize = 8;
pub(super) const FLOATS: usize = 8;
pub(super) const RETURNED_INTEGERS: usize = 8;
pub(super) const RETURNED_FLOATS: usize = 8;
pub(super) const RETURNED_TOGETHER: usize = 16;
pub(super) const HIDDEN_APART: bool = true;
pub(super) const HIGH_HALF: u64 = 0;

#[unsafe(naked)]
pub(super) extern "C" fn adapter<F: Callee<Args>, Args>() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "hint #34", // bti c
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "sub sp, sp, {size}",
        "stp x0, x1, [sp]",
        "stp x2, x3, [sp, #16]",
        "stp x4, x5, [sp, #32]",
        "stp x6, x7, [sp, #48]",
        "stp d0, d1, [sp, #64]",
        "stp d2, d3, [sp, #80]",
        "stp d4, d5, [sp, #96]",
        "stp d6, d7, [sp, #112]",
        "str x8, [sp, {hidden}]",
        "add x9, x29, #16", // behind what is kept here
        "str x9, [sp, {stack}]",
        "mov x0, sp",
        "mov x1, x15",
        "bl {enter}",
        "ldp x0, x1, [sp, {returned}]",
        "ldp x2, x3, [sp, {returned} + 16]",
        "ldp x4, x5, [sp, {returned} + 32]",
        "ldp x6, x7, [sp, {returned} + 48]",
        "ldp d0, d1, [sp, {returned} + 64]",
        "ldp d2, d3, [sp, {returned} + 80]",
        "ldp d4, d5, [sp, {returned} + 96]",
        "ldp d6, d7, [sp, {returned} + 112]",
        "mov sp, x29",
        ".cfi_def_cfa_register sp",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
        size = const size_of::<Call>().next_multiple_of(16),
        hidden = const core::mem::offset_of!(Call, hidden),
        stack = const core::mem::offset_of!(Call, stack),
        returned = const core::mem::offset_of!(Call, returned),
        enter = sym enter::<F, Args>,
    )
}
