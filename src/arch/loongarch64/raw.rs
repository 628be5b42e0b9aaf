//! 64-bit LoongArch (ELF psABI, section "Procedure Calling Convention"): see `src/arch/convention/leaves.rs`.

use crate::arch::convention::Handler;
#[cfg(all(feature = "__slot-extra", not(compact)))]
use crate::arch::convention::insert::{arrange, room};
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

/// Body of an entry: saves all argument registers in a block, and leaves. In between are the instructions that call a
/// function, and those that load results.
macro_rules! entry {
    ([$($call:expr),+] [$($results:expr),+] $($operands:tt)*) => {
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
            $($results),+,
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
            $($operands)*
        )
    };
}

/// Body of an entry; the first part of the arguments has the instructions that call the handler with the block as
/// second argument.
macro_rules! enter {
    ([$($call:expr),+] $($handler:tt)*) => {
        entry!(
            [$($call),+]
            [
                "ld.d $a0, $sp, {result}",
                "ld.d $a1, $sp, {result}+8",
                float!("fld.d $fa0, $sp, {result_floats}"),
                float!("fld.d $fa1, $sp, {result_floats}+8")
            ]
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

/// Entry for a stub whose chain points to {context, callee, plan}: calls the callee with the arguments that the plan
/// arranges, and leaves its results where they are.
#[cfg(all(feature = "__slot-extra", not(compact)))]
#[unsafe(naked)]
pub(crate) extern "C" fn forward() {
    entry!(
        [
            "st.d $t8, $sp, {walk}+8",
            "move $a0, $t8",
            "call36 {room}",
            "move $a2, $sp",
            "sub.d $sp, $sp, $a0",
            "move $a0, $a2",
            "move $a1, $sp",
            "call36 {arrange}",
            "addi.d $t0, $fp, -16-{size}", // the block
            "ld.d $a0, $t0, 0",
            "ld.d $a1, $t0, 8",
            "ld.d $a2, $t0, 16",
            "ld.d $a3, $t0, 24",
            "ld.d $a4, $t0, 32",
            "ld.d $a5, $t0, 40",
            "ld.d $a6, $t0, 48",
            "ld.d $a7, $t0, 56",
            float!("fld.d $fa0, $t0, {floats}+0"),
            float!("fld.d $fa1, $t0, {floats}+8"),
            float!("fld.d $fa2, $t0, {floats}+16"),
            float!("fld.d $fa3, $t0, {floats}+24"),
            float!("fld.d $fa4, $t0, {floats}+32"),
            float!("fld.d $fa5, $t0, {floats}+40"),
            float!("fld.d $fa6, $t0, {floats}+48"),
            float!("fld.d $fa7, $t0, {floats}+56"),
            "ld.d $t1, $t0, {walk}+8",
            "ld.d $t1, $t1, 8",
            "jirl $ra, $t1, 0"
        ]
        [""]
        room = sym room,
        arrange = sym arrange,
    )
}
