//! System V psABI, section 3.2.3; a struct of scalars is returned as LLVM does: up to three words in rax, rdx and rcx, two
//! floating-point ones in xmm0 and xmm1.

use super::{Call, Callee, enter};

pub(super) const INTEGERS: usize = 6;
pub(super) const FLOATS: usize = 8;
pub(super) const RETURNED_INTEGERS: usize = 3;
pub(super) const RETURNED_FLOATS: usize = 2;
pub(super) const RETURNED_TOGETHER: usize = 5;
pub(super) const HIDDEN_APART: bool = false;
pub(super) const HIGH_HALF: u64 = 0;

#[unsafe(naked)]
pub(super) extern "C" fn adapter<F: Callee<Args>, Args>() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "endbr64",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, {size}",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "movsd [rsp + 48], xmm0",
        "movsd [rsp + 56], xmm1",
        "movsd [rsp + 64], xmm2",
        "movsd [rsp + 72], xmm3",
        "movsd [rsp + 80], xmm4",
        "movsd [rsp + 88], xmm5",
        "movsd [rsp + 96], xmm6",
        "movsd [rsp + 104], xmm7",
        "lea rax, [rbp + 16]", // behind the return address
        "mov [rsp + {stack}], rax",
        "mov rdi, rsp",
        "mov rsi, r10",
        "call {enter}",
        "mov rax, [rsp + {returned}]",
        "mov rdx, [rsp + {returned} + 8]",
        "mov rcx, [rsp + {returned} + 16]",
        "movsd xmm0, [rsp + {returned} + 24]",
        "movsd xmm1, [rsp + {returned} + 32]",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        size = const size_of::<Call>().next_multiple_of(16),
        stack = const core::mem::offset_of!(Call, stack),
        returned = const core::mem::offset_of!(Call, returned),
        enter = sym enter::<F, Args>,
    )
}
