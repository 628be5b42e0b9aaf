//! System V psABI, section 3.2.3; a struct of scalars is returned as LLVM does: up to three words in rax, rdx and rcx, the
//! first two floating-point numbers in xmm0 and xmm1, two more on the x87; those of two bytes in the first free one of xmm0 to
//! xmm2, vectors of xmm0 to xmm3.

pub(super) const INTEGERS: usize = 6;
pub(super) const FLOATS: usize = 8;
pub(super) const FLOAT_WORDS: usize = 2;
pub(super) const FLOATS_GO_ON_IN_INTEGERS: bool = false;
pub(super) const FLOATS_PASS_OVER_INTEGERS: bool = false;
pub(super) const RETURNED_INTEGERS: usize = 3;
pub(super) const RETURNED_FLOATS: [usize; 3] = [2, 3, 4];
pub(super) const RETURNED_ON_X87: usize = 2;
pub(super) const RETURNED_TOGETHER: usize = 9;
pub(super) const SRET_REGISTER: bool = false;

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
            "endbr64\n",
            "push rbp\n",
            ".cfi_def_cfa_offset 16\n",
            ".cfi_offset rbp, -16\n",
            "mov rbp, rsp\n",
            ".cfi_def_cfa_register rbp\n",
            "sub rsp, {size}\n",
        )
    };
    (keep) => {
        concat!(
            "mov [rsp], rdi\n",
            "mov [rsp + 8], rsi\n",
            "mov [rsp + 16], rdx\n",
            "mov [rsp + 24], rcx\n",
            "mov [rsp + 32], r8\n",
            "mov [rsp + 40], r9\n",
            "movups [rsp + 48], xmm0\n",
            "movups [rsp + 64], xmm1\n",
            "movups [rsp + 80], xmm2\n",
            "movups [rsp + 96], xmm3\n",
            "movups [rsp + 112], xmm4\n",
            "movups [rsp + 128], xmm5\n",
            "movups [rsp + 144], xmm6\n",
            "movups [rsp + 160], xmm7\n",
            "lea rax, [rbp + 16]\n", // above the return address
            "mov [rsp + {stack}], rax\n",
        )
    };
    (call) => {
        concat!("mov rdi, rsp\n", "mov rsi, r10\n", "call {enter}\n",)
    };
    (results) => {
        concat!(
            "mov rax, [rsp + {returned}]\n",
            "mov rdx, [rsp + {returned} + 8]\n",
            "mov rcx, [rsp + {returned} + 16]\n",
            "movups xmm0, [rsp + {returned} + 24]\n",
            "movups xmm1, [rsp + {returned} + 40]\n",
            "movups xmm2, [rsp + {returned} + 56]\n",
            "movups xmm3, [rsp + {returned} + 72]\n",
            "cmp qword ptr [rsp + {returned} + 104], 1\n",
            "jb 3f\n",
            "je 2f\n",
            "fld qword ptr [rsp + {returned} + 96]\n",
            "2:\n",
            "fld qword ptr [rsp + {returned} + 88]\n", // the top
            "3:\n",
        )
    };
    (leave) => {
        concat!("leave\n", ".cfi_def_cfa rsp, 8\n", "ret\n",)
    };
}
pub(super) use text;

// The places that the text above counts, in `SavedCall` and behind `{returned}`.
const _: () = {
    use super::{Returned, SavedCall};
    use core::mem::offset_of;
    assert!(offset_of!(SavedCall, integers) == 0 && offset_of!(SavedCall, floats) == 48);
    assert!(offset_of!(Returned, integers) == 0 && offset_of!(Returned, floats) == 24);
    assert!(offset_of!(Returned, x87) == 88 && offset_of!(Returned, x87_used) == 104);
};
