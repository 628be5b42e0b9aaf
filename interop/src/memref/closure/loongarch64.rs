//! LoongArch ELF psABI, section "Procedure Calling Convention", LP64D; of a struct of scalars LLVM returns up to two, in a0 and
//! a1, fa0 and fa1.

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

/// Those above may be anything.
pub(super) const fn in_register(bits: u64, _bytes: usize) -> u64 {
    bits
}

macro_rules! text {
    (frame) => {
        concat!(
            "addi.d $sp, $sp, -16\n",
            ".cfi_def_cfa_offset 16\n",
            "st.d $ra, $sp, 8\n",
            "st.d $fp, $sp, 0\n",
            ".cfi_offset 1, -8\n",
            ".cfi_offset 22, -16\n",
            "addi.d $fp, $sp, 16\n",
            ".cfi_def_cfa 22, 0\n",
            "addi.d $sp, $sp, -{size}\n",
        )
    };
    (keep) => {
        concat!(
            "st.d $a0, $sp, 0\n",
            "st.d $a1, $sp, 8\n",
            "st.d $a2, $sp, 16\n",
            "st.d $a3, $sp, 24\n",
            "st.d $a4, $sp, 32\n",
            "st.d $a5, $sp, 40\n",
            "st.d $a6, $sp, 48\n",
            "st.d $a7, $sp, 56\n",
            "fst.d $fa0, $sp, 64\n",
            "fst.d $fa1, $sp, 72\n",
            "fst.d $fa2, $sp, 80\n",
            "fst.d $fa3, $sp, 88\n",
            "fst.d $fa4, $sp, 96\n",
            "fst.d $fa5, $sp, 104\n",
            "fst.d $fa6, $sp, 112\n",
            "fst.d $fa7, $sp, 120\n",
            "st.d $fp, $sp, {stack}\n",
        )
    };
    (call) => {
        concat!("move $a0, $sp\n", "move $a1, $t8\n", "call36 {enter}\n",)
    };
    (results) => {
        concat!(
            "ld.d $a0, $sp, {returned}\n",
            "ld.d $a1, $sp, {returned} + 8\n",
            "fld.d $fa0, $sp, {returned} + 16\n",
            "fld.d $fa1, $sp, {returned} + 24\n",
        )
    };
    (leave) => {
        concat!(
            "addi.d $sp, $fp, -16\n",
            ".cfi_def_cfa 3, 16\n",
            "ld.d $ra, $sp, 8\n",
            "ld.d $fp, $sp, 0\n",
            "addi.d $sp, $sp, 16\n",
            ".cfi_def_cfa_offset 0\n",
            ".cfi_restore 1\n",
            ".cfi_restore 22\n",
            "ret\n",
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
