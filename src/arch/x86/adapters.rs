//! The closure's address on its way to a parameter (System V psABI for i386, section 2.2.3): all arguments are on the stack,
//! word after word, in front of them a hidden pointer where the result goes to memory.
//!
//! No register is left for one more parameter, and the words behind the arguments are the caller's own. So the adapter calls
//! with a copy of the arguments' words, and the closure's address behind them. Whether there is a hidden pointer, a
//! compiler could tell from the result's type and we cannot; so one word more is copied than the arguments have, and the
//! closure's address follows twice. Of the two parameters that follow the arguments the last is one of these:
//!
//! ```text
//!     word                          0        1        2        3       4
//!     what is passed                u64 ...........   (any)    c       c
//!     enter(u64, _, c)              u64 ...........   _        c
//!     enter(u64, _, c) -> struct    pointer  u64 ...........   _       c
//! ```
//!
//! A function that has such a pointer takes it from the stack when it returns, and the adapter, which sees from the stack
//! pointer that its callee did, does the same.
//!
//! How many words an argument has, its size tells: a struct lies at the next word, however it is aligned. But not that of a
//! vector, which goes in a register, or is aligned in memory, as an integer of 128 bits may be. All of these are as large as
//! their alignment is. Where there are such arguments, that leaves open where the words end by some more, and so there are
//! more words with the closure's address, and more parameters in front of it.
//!
//! The copy is made downwards by pushing, so that no page of the stack is left out.

use crate::arch::shape::Shape;

pub(crate) enum Way {
    /// Where the words end is known, but for the hidden pointer.
    Words,
    /// It is known but for [`OPEN`] words.
    Spread,
}

/// The most words by which it can be open where the words of the arguments end.
pub(crate) const OPEN: usize = 128;

/// Whether something of this size and alignment may be a vector or an integer of 128 bits. Rust's largest vectors have 64
/// numbers of 8 bytes.
const fn may_be_vector(shape: Shape) -> bool {
    shape.align > 4 && shape.size == shape.align && shape.size <= 512
}

/// How many words the arguments take with a hidden pointer, at most and at least.
const fn words(arguments: &[Shape], result: Shape) -> (usize, usize) {
    let (mut most, mut least, mut i) = ((result.size > 0) as usize, 0, 0);
    while i < arguments.len() {
        let words = arguments[i].size.div_ceil(4);
        most += words;
        if may_be_vector(arguments[i]) {
            most += arguments[i].align / 4 - 1;
        } else {
            least += words;
        }
        i += 1;
    }
    (most, least)
}

/// The words that are copied: as many as there may be.
pub(crate) const fn copied(arguments: &[Shape], result: Shape) -> usize {
    words(arguments, result).0
}

/// From the copy to the caller's words: with room for so many words behind the copy, the return address and ebp. A multiple of
/// what they may be aligned to.
pub(crate) const fn distance(arguments: &[Shape], result: Shape, behind: usize) -> usize {
    let (mut largest, mut i) = (16, 0);
    while i < arguments.len() {
        if may_be_vector(arguments[i]) && arguments[i].align > largest {
            largest = arguments[i].align;
        }
        i += 1;
    }
    (4 * (copied(arguments, result) + behind) + 8).next_multiple_of(largest)
}

/// Selects the way for a signature.
pub(crate) const fn way(arguments: &[Shape], result: Shape) -> Way {
    let (most, least) = words(arguments, result);
    assert!(
        most - least <= OPEN,
        "on this target a closure can take no more than eight vectors of 32 bytes, or four of 64: pass references to them"
    );
    if most - least <= 1 { Way::Words } else { Way::Spread }
}

/// Parameters that take so many words, and that nobody reads.
#[repr(C)]
pub(crate) struct Unread<const WORDS: usize>([usize; WORDS]);

macro_rules! adapter {
    ($way:expr, $enter:ident $signature:tt) => {
        match $way {
            arch::Way::Words => $enter!(behind_words, $signature, (), (_: usize, holder: *const H), holder),
            arch::Way::Spread => {
                $enter!(spread, $signature, (), (_: arch::Unread<{ arch::OPEN }>, holder: *const H), holder)
            }
        }
    };
}
pub(crate) use adapter;

/// Calls with a copy of the words and the closure's address so many times behind it. From a place in the copy to that which
/// it is a copy of, it is a multiple of the alignment.
macro_rules! call_with_copy {
    ($enter:path, $arguments:expr, $times:expr) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "endbr32",
            "push ebp",
            ".cfi_def_cfa_offset 8",
            ".cfi_offset ebp, -8",
            "mov ebp, esp",
            ".cfi_def_cfa_register ebp",
            "sub esp, {distance} - 8 - 4 * ({words} + {times})",
            ".if {times} == 2",
            "push ecx",
            "push ecx",
            ".else",
            "mov edx, {times}",
            "2: push ecx",
            "dec edx",
            "jnz 2b",
            ".endif",
            // Each word from the same place relative to esp, which goes down by one each time.
            ".if {words} <= 8",
            ".rept {words}",
            "push dword ptr [esp + {distance} - 4]",
            ".endr",
            ".else",
            "mov edx, {words}",
            "3: push dword ptr [esp + {distance} - 4]",
            "dec edx",
            "jnz 3b",
            ".endif",
            "call {enter}",
            "lea ecx, [ebp + 8 - {distance}]",
            "cmp ecx, esp",
            "mov esp, ebp",
            "pop ebp",
            ".cfi_def_cfa esp, 4",
            ".cfi_restore ebp",
            "jne 4f",
            "ret",
            "4: ret 4",
            ".cfi_endproc",
            enter = sym $enter,
            times = const $times,
            words = const arch::copied($arguments, Shape::of::<K::Output>()),
            distance = const arch::distance($arguments, Shape::of::<K::Output>(), $times),
        )
    };
}
pub(crate) use call_with_copy;

macro_rules! behind_words {
    ($enter:path; $arguments:expr) => {
        arch::call_with_copy!($enter, $arguments, 2)
    };
}
pub(crate) use behind_words;

macro_rules! spread {
    ($enter:path; $arguments:expr) => {
        arch::call_with_copy!($enter, $arguments, arch::OPEN + 1)
    };
}
pub(crate) use spread;
