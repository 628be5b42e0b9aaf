//! Maps a list's argument numbers, which follow the source, to argument positions in a call.
//!
//! Numbers and positions differ for several reasons. The first argument may be the address of a result in memory,
//! followed by a length for a CHARACTER result. An array, a structure or a descriptor is passed as one pointer, but a
//! dummy argument with VALUE may be passed as two numbers. An alternate return is not passed. The lengths of CHARACTER
//! arguments come last. Promises are made only for positions that are known.

use crate::keeps_not::{Arguments, is_fortran};
use crate::llvm::*;
use std::collections::BTreeSet;

/// For each argument of a call, returns whether the list makes a promise about it.
pub fn promised(call: Value, symbol: &str, listed: &Arguments) -> Vec<bool> {
    match listed {
        Arguments::All => vec![true; call.argument_count() as usize],
        Arguments::Numbers(numbers) => by_number(call, symbol, numbers),
    }
}

fn by_number(call: Value, symbol: &str, numbers: &BTreeSet<u32>) -> Vec<bool> {
    let count = call.argument_count() as usize;
    let last = numbers.last().map_or(0, |number| *number as usize);
    // The procedure has at least as many dummy arguments as the highest argument number in the list.
    let hidden: Vec<usize> =
        hidden_arguments(call, symbol).into_iter().filter(|hidden| hidden + last <= count).collect();
    let counted: Vec<Vec<Option<u32>>> = hidden.iter().map(|hidden| count_from(call, *hidden)).collect();
    let is_promised = |position: usize| {
        let mut numbered = false;
        let all = hidden.iter().zip(&counted).all(|(hidden, counted)| {
            let is_listed = counted[position].is_some_and(|number| numbers.contains(&number));
            numbered |= is_listed;
            is_listed || position < *hidden // a hidden argument for the result, whose address Fortran does not keep
        });
        all && numbered
    };
    (0..count).map(is_promised).collect()
}

/// Returns the possible counts of hidden arguments before the first dummy argument, or an empty list if they are
/// unknown.
fn hidden_arguments(call: Value, symbol: &str) -> Vec<usize> {
    let result = LLVMTypeOf(call);
    if result.is_void() {
        // The procedure is a subroutine, or a function that returns its result in memory.
        return if call.has_attribute(1, "sret") { vec![1] } else { vec![0, 1] };
    }
    if result.is_integer(64) {
        return vec![]; // the result is a number, or the index of the alternate return that is taken
    }
    if is_pointer_and_length(result) {
        return if is_fortran(symbol) { vec![2] } else { vec![] };
    }
    vec![0]
}

/// Returns whether a type is the result type of a CHARACTER function.
fn is_pointer_and_length(ty: Type) -> bool {
    ty.is_struct()
        && ty.element_count() == 2
        && ty.element_at(0).is_pointer()
        && ty.element_at(1).is_integer(64)
}

/// Returns the number of the dummy argument at each position, or `None` where that number is unknown.
fn count_from(call: Value, hidden: usize) -> Vec<Option<u32>> {
    let arguments: Vec<Value> = call.arguments().collect();
    let is_pointer = |position: usize| LLVMTypeOf(arguments[position]).is_pointer();
    let pointers =
        (0..arguments.len()).rev().find(|position| is_pointer(*position)).map_or(0, |last| last + 1);
    // Two adjacent numeric arguments may be parts of one dummy argument.
    let is_certain = |position: &usize| is_pointer(*position) || is_pointer(*position + 1);
    let certain = (hidden..pointers).take_while(is_certain).count();
    let numbers = (1..).take(certain).map(Some);
    let rest = arguments.len() - hidden - certain;
    std::iter::repeat_n(None, hidden).chain(numbers).chain(std::iter::repeat_n(None, rest)).collect()
}
