//! 64-bit LoongArch (ELF psABI, section "Procedure Calling Convention"): see `src/arch/convention/leaves.rs`.

use crate::arch::convention::Handler;
pub use crate::arch::convention::leaves::Block;
use core::mem::offset_of;

#[cfg(doubles)]
macro_rules! float {
    ($instruction:literal) => {
        $instruction
    };
}
#[cfg(not(doubles))]
macro_rules! float {
    ($instruction:literal) => {
        concat!("# ", $instruction)
    };
}

/// Body of an entry; the first part of the arguments has the instructions that call the handler with the block as
/// second argument.
macro_rules! enter {
    ([$($call:expr),+] $($handler:tt)*) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "addi.d $sp, $sp, -16",
            ".cfi_def_cfa_offset 16",
            "st.d $ra, $sp, 8",
            "st.d $fp, $sp, 0",
            ".cfi_offset 1, -8",
            ".cfi_offset 22, -16",
            "addi.d $fp, $sp, 16",
            ".cfi_def_cfa 22, 0",
            "addi.d $sp, $sp, -{size}",
            "st.d $a0, $sp, 0",
            "st.d $a1, $sp, 8",
            "st.d $a2, $sp, 16",
            "st.d $a3, $sp, 24",
            "st.d $a4, $sp, 32",
            "st.d $a5, $sp, 40",
            "st.d $a6, $sp, 48",
            "st.d $a7, $sp, 56",
            float!("fst.d $fa0, $sp, {floats}"),
            float!("fst.d $fa1, $sp, {floats}+8"),
            float!("fst.d $fa2, $sp, {floats}+16"),
            float!("fst.d $fa3, $sp, {floats}+24"),
            float!("fst.d $fa4, $sp, {floats}+32"),
            float!("fst.d $fa5, $sp, {floats}+40"),
            float!("fst.d $fa6, $sp, {floats}+48"),
            float!("fst.d $fa7, $sp, {floats}+56"),
            "st.d $zero, $sp, {result}",
            "st.d $zero, $sp, {result}+8",
            "st.d $zero, $sp, {result_floats}",
            "st.d $zero, $sp, {result_floats}+8",
            "st.d $fp, $sp, {walk}",
            "st.d $zero, $sp, {walk}+8",
            "st.d $zero, $sp, {walk}+16",
            "st.d $zero, $sp, {walk}+24",
            "st.d $zero, $sp, {walk}+32",
            "st.d $zero, $sp, {walk}+40",
            $($call),+,
            "ld.d $a0, $sp, {result}",
            "ld.d $a1, $sp, {result}+8",
            float!("fld.d $fa0, $sp, {result_floats}"),
            float!("fld.d $fa1, $sp, {result_floats}+8"),
            "addi.d $sp, $fp, -16",
            ".cfi_def_cfa 3, 16",
            "ld.d $ra, $sp, 8",
            "ld.d $fp, $sp, 0",
            ".cfi_restore 1",
            ".cfi_restore 22",
            "addi.d $sp, $sp, 16",
            ".cfi_def_cfa_offset 0",
            "ret",
            ".cfi_endproc",
            size = const size_of::<Block>(),
            floats = const offset_of!(Block, floats),
            result = const offset_of!(Block, result_integers),
            result_floats = const offset_of!(Block, result_floats),
            walk = const offset_of!(Block, walk),
            $($handler)*
        )
    };
}

/// Entry for a stub whose chain points to {context, handler}.
#[cfg(feature = "__slot-extra")]
#[unsafe(naked)]
pub(crate) extern "C" fn enter() {
    enter!(["ld.d $a0, $t8, 0", "ld.d $t7, $t8, 8", "move $a1, $sp", "jirl $ra, $t7, 0"])
}

/// Entry for a stub whose chain points to a holder.
#[unsafe(naked)]
pub(crate) extern "C" fn enter_closure<H: Handler>() {
    enter!(["move $a0, $t8", "move $a1, $sp", "call36 {handler}"] handler = sym H::handle)
}
