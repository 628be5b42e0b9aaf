//! RISC-V (ELF psABI, chapters "Integer Calling Convention" and "Hardware Floating-point Calling Convention"): see
//! `src/arch/convention/leaves.rs`.

pub use crate::arch::convention::leaves::Block;
use core::mem::offset_of;

#[cfg(target_pointer_width = "64")]
macro_rules! instruction {
    (load) => {
        "ld "
    };
    (store) => {
        "sd "
    };
    (word) => {
        "8"
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! instruction {
    (load) => {
        "lw "
    };
    (store) => {
        "sw "
    };
    (word) => {
        "4"
    };
}
/// Stores a word, as in `store!("a0", 0, "({base})")`. The offset is counted in words.
macro_rules! store {
    ($register:literal, $word:literal, $base:literal) => {
        concat!(instruction!(store), $register, ", ", instruction!(word), "*", $word, "+", $base)
    };
}
macro_rules! load {
    ($register:literal, $word:literal, $base:literal) => {
        concat!(instruction!(load), $register, ", ", instruction!(word), "*", $word, "+", $base)
    };
}
// Tools that read the symbols in the library's bitcode do not know the processor's extensions.
#[cfg(doubles)]
macro_rules! float {
    (arch) => {
        ".option arch, +d"
    };
    (load $register:literal, $offset:literal) => {
        concat!("fld ", $register, ", ", $offset, "(sp)")
    };
    (reload $register:literal, $offset:literal) => {
        concat!("fld ", $register, ", ", $offset, "(t0)")
    };
    (store $register:literal, $offset:literal) => {
        concat!("fsd ", $register, ", ", $offset, "(sp)")
    };
}
#[cfg(singles)]
macro_rules! float {
    (arch) => {
        ".option arch, +f"
    };
    (load $register:literal, $offset:literal) => {
        concat!("flw ", $register, ", ", $offset, "(sp)")
    };
    (reload $register:literal, $offset:literal) => {
        concat!("flw ", $register, ", ", $offset, "(t0)")
    };
    (store $register:literal, $offset:literal) => {
        concat!("fsw ", $register, ", ", $offset, "(sp)")
    };
}
#[cfg(not(any(doubles, singles)))]
macro_rules! float {
    ($($what:tt)*) => {
        "# {floats}"
    };
}

/// The body of an entry. It saves all argument registers in a block, executes the given instructions, and returns. The
/// given instructions call a function, and then load the results.
macro_rules! entry {
    ([$($call:expr),+] [$($results:expr),*] $($operands:tt)*) => {
        core::arch::naked_asm!(
            ".option push",
            float!(arch),
            ".cfi_startproc",
            "addi sp, sp, -16",
            ".cfi_def_cfa_offset 16",
            store!("ra", 1, "0(sp)"),
            store!("s0", 0, "0(sp)"),
            concat!(".cfi_offset ra, ", instruction!(word), " - 16"),
            ".cfi_offset s0, -16",
            "addi s0, sp, 16",
            ".cfi_def_cfa s0, 0",
            "addi sp, sp, -{size}",
            store!("a0", 0, "0(sp)"),
            store!("a1", 1, "0(sp)"),
            store!("a2", 2, "0(sp)"),
            store!("a3", 3, "0(sp)"),
            store!("a4", 4, "0(sp)"),
            store!("a5", 5, "0(sp)"),
            store!("a6", 6, "0(sp)"),
            store!("a7", 7, "0(sp)"),
            float!(store "fa0", "{floats}"),
            float!(store "fa1", "{floats}+8"),
            float!(store "fa2", "{floats}+16"),
            float!(store "fa3", "{floats}+24"),
            float!(store "fa4", "{floats}+32"),
            float!(store "fa5", "{floats}+40"),
            float!(store "fa6", "{floats}+48"),
            float!(store "fa7", "{floats}+56"),
            store!("zero", 0, "{result}(sp)"),
            store!("zero", 1, "{result}(sp)"),
            store!("zero", 0, "{result_floats}(sp)"),
            store!("zero", 0, "{result_floats}+8(sp)"),
            store!("s0", 0, "{walk}(sp)"),
            store!("zero", 1, "{walk}(sp)"),
            store!("zero", 2, "{walk}(sp)"),
            store!("zero", 3, "{walk}(sp)"),
            store!("zero", 4, "{walk}(sp)"),
            store!("zero", 5, "{walk}(sp)"),
            $($call,)+
            $($results,)*
            "addi sp, s0, -16",
            load!("ra", 1, "0(sp)"),
            load!("s0", 0, "0(sp)"),
            "addi sp, sp, 16",
            ".cfi_def_cfa sp, 0",
            ".cfi_restore ra",
            ".cfi_restore s0",
            "ret",
            ".cfi_endproc",
            ".option pop",
            size = const size_of::<Block>(),
            floats = const offset_of!(Block, floats),
            result = const offset_of!(Block, result_integers),
            result_floats = const offset_of!(Block, result_floats),
            walk = const offset_of!(Block, walk),
            $($operands)*
        )
    };
}

crate::arch::entries! {
    enter [load!("a0", 0, "0(t2)"), load!("t1", 1, "0(t2)"), "mv a1, sp", "jalr t1"]
    enter_closure ["mv a0, t2", "mv a1, sp", "call {handler}"]
    results [
        load!("a0", 0, "{result}(sp)"),
        load!("a1", 1, "{result}(sp)"),
        float!(load "fa0", "{result_floats}"),
        float!(load "fa1", "{result_floats}+8")
    ] {}
    forward [
        store!("t2", 1, "{walk}(sp)"),
        "mv a0, t2",
        "call {room}",
        "mv a2, sp",
        "sub sp, sp, a0",
        "mv a0, a2",
        "mv a1, sp",
        "call {arrange}",
        "addi t0, s0, -16 - {size}", // the block
        load!("a0", 0, "0(t0)"),
        load!("a1", 1, "0(t0)"),
        load!("a2", 2, "0(t0)"),
        load!("a3", 3, "0(t0)"),
        load!("a4", 4, "0(t0)"),
        load!("a5", 5, "0(t0)"),
        load!("a6", 6, "0(t0)"),
        load!("a7", 7, "0(t0)"),
        float!(reload "fa0", "{floats}+0"),
        float!(reload "fa1", "{floats}+8"),
        float!(reload "fa2", "{floats}+16"),
        float!(reload "fa3", "{floats}+24"),
        float!(reload "fa4", "{floats}+32"),
        float!(reload "fa5", "{floats}+40"),
        float!(reload "fa6", "{floats}+48"),
        float!(reload "fa7", "{floats}+56"),
        load!("t1", 1, "{walk}(t0)"),
        load!("t1", 1, "0(t1)"),
        "jalr t1"
    ] []
}
