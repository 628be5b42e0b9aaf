//! Passing a closure's address as an extra argument (ELF ABI s390x Supplement, section "Parameter Passing"). Each integer
//! argument takes one of r2 to r6, and arguments larger than a word are passed by reference. No adapter
//! may change r6, since r6 is also callee-saved. Structs of any size are returned in memory, and the pointer to the
//! result takes r2. This code does not know whether a type is a struct, only whether it is larger than any register.
//! There are four ways, and in all of them, the adapter ends with a jump and needs no frame:
//! - *Before the arguments*, if there is no result and there are at most three arguments. The arguments move up by one
//!   register, and the closure's address is in the first register. No argument is on the stack, because each of at most
//!   three arguments has a register.
//! - *After the result*, if the result is certainly in memory and there are at most two arguments. r2 keeps its value,
//!   and the arguments move as in the previous case.
//! - *After the arguments*, if there are no arguments, but possibly a pointer to a result. The function has two extra
//!   parameters. The second one is in r3 or r4, so the adapter sets both registers to the closure's address.
//! - *In thread-local words*, for all other signatures (`in_thread.rs`).

pub(crate) use super::in_thread::{jump_to_pass, pass, stack, take};
pub(crate) use crate::arch::in_thread::in_thread;
use crate::arch::size_align::SizeAlign;

pub(crate) enum Way {
    After,
    Before,
    AfterResult,
    InThread,
}

/// Size in bytes of the largest result in a register: a vector, if the processor has vectors.
const LARGEST_REGISTER: usize = 16;

/// Selects how closures with this signature receive their address.
pub(crate) const fn way(arguments: &[SizeAlign], result: SizeAlign) -> Way {
    match (arguments.len(), result.size) {
        (0..=3, 0) => Way::Before,
        (0..=2, size) if size > LARGEST_REGISTER => Way::AfterResult,
        (0, _) => Way::After,
        _ => Way::InThread,
    }
}

macro_rules! adapter {
    ($way:expr, $enter:ident $signature:tt) => {
        match $way {
            arch::Way::After => $enter!(after, $signature, (), (_: usize, holder: *const H), holder),
            arch::Way::Before => $enter!(before, $signature, (holder: *const H,), (), holder),
            arch::Way::AfterResult => $enter!(after_result, $signature, (holder: *const H,), (), holder),
            arch::Way::InThread => $enter!(in_thread, $signature, (), (), arch::take::<H>()),
        }
    };
}
pub(crate) use adapter;

#[rustfmt::skip]
macro_rules! after {
    ($enter:path; $arguments:expr) => { $crate::arch::moving!($enter, arch::after) };
    ($chain:tt $a:tt $b:tt $c:tt $d:tt $e:tt) => { $crate::arch::moves!({$b $chain} {$c $chain}) };
}
pub(crate) use after;

#[rustfmt::skip]
macro_rules! before {
    ($enter:path; $arguments:expr) => { $crate::arch::moving!($enter, arch::before) };
    ($chain:tt $a:tt $b:tt $c:tt $d:tt $e:tt) => { $crate::arch::moves!({$d $c} {$c $b} {$b $a} {$a $chain}) };
}
pub(crate) use before;

#[rustfmt::skip]
macro_rules! after_result {
    ($enter:path; $arguments:expr) => { $crate::arch::moving!($enter, arch::after_result) };
    ($chain:tt $a:tt $b:tt $c:tt $d:tt $e:tt) => { $crate::arch::moves!({$d $c} {$c $b} {$b $chain}) };
}
pub(crate) use after_result;
