//! Passing a closure's address as an extra argument (System V psABI for i386, section 2.2.3). All arguments except some
//! vectors are on the stack, word by word. If the result is in memory, a hidden pointer precedes the arguments. No
//! register is left for another parameter, and the words after the arguments belong to the caller. The adapter
//! therefore calls the function with a copy of the argument words, followed by the closure's address.
//!
//! A compiler knows from the result's type whether there is a hidden pointer, but the adapter does not. If there is a
//! result, the adapter copies one more word than the arguments take, and appends two copies of the closure's address,
//! so that the second parameter after the arguments is always one of these copies. A function with a hidden pointer
//! pops the pointer when it returns. If the stack pointer shows that the called function has done so, the adapter also
//! pops the pointer that its own caller passed.
//!
//! An argument's size usually determines its number of words, because a struct begins at the next word, whatever its
//! alignment. The exceptions are vectors (passed in a register, or aligned in memory) and 128-bit integers (possibly
//! aligned in memory). The size of each of these types equals its alignment. Each argument that might have such a type
//! makes the end of the argument words less certain. The adapter then sets more words to the closure's address, and
//! more unused parameters precede the parameter that receives the address. The adapter copies downwards, using push
//! instructions, so that no guard page is skipped.

use crate::arch::signature::{Signature, SizeAlign};

/// The ways of passing a closure's address.
pub(crate) enum Passing {
    /// For signatures in which the end of the argument words is known, apart from a possible hidden pointer.
    Words,
    /// For signatures in which the end of the argument words is uncertain by up to [`OPEN`] words.
    Spread,
}

/// Maximum number of words by which the end of the arguments can be uncertain.
pub(crate) const OPEN: usize = 128;

/// Returns whether a type with this size and alignment could be a vector or a 128-bit integer. Rust's largest vectors
/// have 64 elements of 8 bytes.
const fn may_be_vector(ty: SizeAlign) -> bool {
    ty.align > 4 && ty.size == ty.align && ty.size <= 512
}

/// Returns the maximum number of words that the arguments take (with a hidden pointer) and the minimum (without one).
const fn words(signature: &Signature<'_>) -> (usize, usize) {
    let (mut most, mut least, mut i) = ((signature.result.size > 0) as usize, 0, 0);
    while i < signature.arguments.len() {
        let words = signature.arguments[i].size.div_ceil(4);
        most += words;
        if may_be_vector(signature.arguments[i]) {
            most += signature.arguments[i].align / 4 - 1;
        } else {
            least += words;
        }
        i += 1;
    }
    (most, least)
}

/// Returns the number of words to copy: the maximum number of argument words, including a hidden pointer.
pub(crate) const fn copied(signature: &Signature<'_>) -> usize {
    words(signature).0
}

/// Returns the distance in bytes from the copy to the caller's words. The distance covers the `behind` extra words
/// after the copy, ebp and the return address, and is a multiple of the arguments' largest possible alignment.
pub(crate) const fn distance(signature: &Signature<'_>, behind: usize) -> usize {
    let (mut largest, mut i) = (16, 0);
    while i < signature.arguments.len() {
        if may_be_vector(signature.arguments[i]) && signature.arguments[i].align > largest {
            largest = signature.arguments[i].align;
        }
        i += 1;
    }
    (4 * (copied(signature) + behind) + 8).next_multiple_of(largest)
}

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    let (most, least) = words(signature);
    assert!(
        most - least <= OPEN,
        "on this target, a closure can take at most 18 integers, vectors or over-aligned structs of 16 bytes each, 8 of 32 bytes \
         each, or 4 of 64 bytes each, and fewer if their sizes differ: pass references to them"
    );
    if most - least <= 1 { Passing::Words } else { Passing::Spread }
}

/// The type of an unused parameter that takes this number of words.
#[repr(C)]
pub(crate) struct Unread<const WORDS: usize>([usize; WORDS]);

/// Defines the adapter for a signature, using `define_adapter!` from `src/closure/adapters.rs`.
macro_rules! instructions {
    ($passing:expr, $define:ident $signature:tt) => {
        match $passing {
            adapters::Passing::Words => adapters::instructions!(call_with_copy 2, (_: usize, holder: *const H), holder, $define $signature),
            adapters::Passing::Spread => adapters::instructions!(
                call_with_copy adapters::OPEN + 1,
                (_: adapters::Unread<{ adapters::OPEN }>, holder: *const H),
                holder, $define $signature
            ),
        }
    };
    // Calls the function with a copy of the argument words, followed by `$times` copies of the closure's address. The
    // distance between a word and its copy is a multiple of the arguments' largest possible alignment.
    //
    //     word                          0        1        2        3       4
    //     what is passed                u64 ...........   (any)    c       c
    //     enter(u64, _, c)              u64 ...........   _        c
    //     enter(u64, _, c) -> struct    pointer  u64 ...........   _       c
    (call_with_copy $times:expr, $parameters:tt, $holder:expr, $define:ident $signature:tt) => {
        $define!(
            $signature, (), $parameters, $holder,
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
            // Each push lowers esp by one word, so the next word to copy is always at the same offset from esp.
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
            times = const $times,
            words = const adapters::copied(&Self::SIGNATURE),
            distance = const adapters::distance(&Self::SIGNATURE, $times),
        )
    };
}
pub(crate) use instructions;
