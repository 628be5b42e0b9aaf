//! 64-bit LoongArch (ELF psABI, section "Procedure Calling Convention"): see `convention/leaves.rs`.

use crate::arch::processor;
pub use crate::convention::leaves::{Block, VaList};
use core::mem::offset_of;

/// Expands to the given instructions for the floating-point registers if arguments are passed in these registers.
#[cfg(doubles)]
macro_rules! float {
    ($instruction:expr) => {
        $instruction
    };
}
#[cfg(not(doubles))]
macro_rules! float {
    ($instruction:expr) => {
        "# {floats}"
    };
}

/// Expands to the body of an entry, which saves the argument registers in a block, executes the given instructions (a
/// call and, except in `forward`, loads of the results), and returns. Above the frame are eight words for
/// `Block::va_list`.
macro_rules! entry {
    ($this:path; [$($call:expr),+] [$($results:expr),*] $($operands:tt)*) => {
        core::arch::naked_asm!(
            processor!(begin),
            processor!(frame "64"),
            processor!(arguments [processor] store ["0"]),
            float!(processor!(floats [processor] store_float ["{floats}"])),
            processor!(store ["{result}"] "$zero" "$zero"),
            processor!(store ["{result_floats}"] "$zero" "$zero"),
            processor!(store ["{walk}"] "$fp" "$zero" "$zero" "$zero" "$zero" "$zero"),
            $($call,)+
            $($results,)*
            processor!(leave "64"),
            processor!(end),
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
    enter ["ld.d $a0, $t8, 0", "ld.d $t7, $t8, 8", "move $a1, $sp", "jirl $ra, $t7, 0"]
    enter_closure ["move $a0, $t8", "move $a1, $sp", "call36 {handler}"]
    results [
        processor!(results [processor] load ["{result}"]),
        float!(processor!(float_results [processor] load_float ["{result_floats}"]))
    ] {}
    forward [
        "st.d $t8, $sp, {walk}+8",
        "move $a0, $t8",
        "call36 {room}",
        "move $a2, $sp",
        "sub.d $sp, $sp, $a0",
        "move $a0, $a2",
        "move $a1, $sp",
        "call36 {arrange}",
        "addi.d $t0, $fp, -16-64-{size}", // the block
        processor!(arguments [processor] load_from "$t0" ["0"]),
        float!(processor!(floats [processor] load_float_from "$t0" ["{floats}"])),
        "ld.d $t1, $t0, {walk}+8",
        "ld.d $t1, $t1, 8",
        "jirl $ra, $t1, 0"
    ] []
}
