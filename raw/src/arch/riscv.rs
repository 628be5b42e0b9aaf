//! RISC-V (ELF psABI, chapters "Integer Calling Convention" and "Hardware Floating-point Calling Convention"): see
//! `convention/leaves.rs`.

use crate::arch::processor;
pub use crate::convention::leaves::{Block, VaList};
use core::mem::offset_of;

/// Expands to the body of an entry, which saves the argument registers in a block, executes the given instructions (a
/// call and, except in `forward`, loads of the results), and returns. Above the frame are eight words for
/// `Block::va_list`.
macro_rules! entry {
    ($this:path; [$($call:expr),+] [$($results:expr),*] $($operands:tt)*) => {
        core::arch::naked_asm!(
            processor!(begin),
            processor!(frame "8 * {word}"),
            processor!(arguments [processor] store ["0"]),
            processor!(floats [processor] store_float ["{floats}"]),
            processor!(store ["{result}"] "zero" "zero"),
            processor!(store ["{result_floats}"] "zero"),
            processor!(store ["{result_floats} + 8"] "zero"),
            processor!(store ["{walk}"] "s0"),
            processor!(store ["{walk} + {word}"] "zero" "zero" "zero" "zero" "zero"),
            $($call,)+
            $($results,)*
            processor!(leave "8 * {word}"),
            processor!(end),
            size = const size_of::<Block>(),
            floats = const offset_of!(Block, floats),
            result = const offset_of!(Block, result_integers),
            result_floats = const offset_of!(Block, result_floats),
            walk = const offset_of!(Block, walk),
            word = const size_of::<usize>(),
            $($operands)*
        )
    };
}

crate::arch::entries! {
    enter [processor!(load_from "t2" ["0"] "a0" "t1"), "mv a1, sp", "jalr t1"]
    enter_closure ["mv a0, t2", "mv a1, sp", "call {handler}"]
    results [
        processor!(results [processor] load ["{result}"]),
        processor!(float_results [processor] load_float ["{result_floats}"])
    ] {}
    forward [
        processor!(store ["{walk} + {word}"] "t2"),
        "mv a0, t2",
        "call {room}",
        "mv a2, sp",
        "sub sp, sp, a0",
        "mv a0, a2",
        "mv a1, sp",
        "call {arrange}",
        "addi t0, s0, -16 - 8 * {word} - {size}", // the block
        processor!(arguments [processor] load_from "t0" ["0"]),
        processor!(floats [processor] load_float_from "t0" ["{floats}"]),
        processor!(load_from "t0" ["{walk} + {word}"] "t1"),
        processor!(load_from "t1" ["{word}"] "t1"),
        "jalr t1"
    ] []
}
