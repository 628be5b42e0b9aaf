//! Attributes that assure the optimizer that a call does not capture an argument, that is, keeps no copy of its
//! address.
//!
//! Only calls to procedures outside the module get such attributes: the optimizer itself sees how procedures in the
//! module use their arguments.

mod arguments;
mod data;

use crate::escapes::library::matches;
use crate::keeps_not::KeepsNot;
use crate::llvm::*;
use arguments::promised;
use data::{is_data, is_descriptor};

/// Adds the attributes to calls to listed procedures and to the run-time library, and to calls that pass descriptors to
/// module procedures. Returns true if anything changed.
pub fn promise(module: Module, keeps_not: &KeepsNot) -> bool {
    let mut changed = false;
    let single = keeps_not.calls.find(module);
    for (call, promise) in single.iter().filter(|it| it.0.called_function().is_none()) {
        changed |=
            promise_in(*call, |position, argument| promise.covers(*call, position) && is_data(argument));
    }
    for function in module.functions().filter(|it| it.is_declaration() && !it.is_intrinsic()) {
        let name = function.name();
        let listed = keeps_not.data(&name);
        let is_module_procedure = is_module_procedure(&name);
        for call in function.users().into_iter().filter(|user| user.is_call()) {
            if call.called_function() != Some(function) {
                continue; // here the function is an argument, not the callee
            }
            let listed = listed.as_ref().map(|listed| promised(call, &name, listed));
            changed |= promise_in(call, |position, argument| {
                let is_listed = || {
                    listed.as_ref().is_some_and(|listed| listed[position as usize])
                        || single.get(&call).is_some_and(|promise| promise.covers(call, position))
                };
                is_uncaptured(&name, position)
                    || (is_module_procedure && is_descriptor(argument))
                    || (is_listed() && is_data(argument))
            });
        }
    }
    changed
}

/// Marks the arguments of a call for which `is_promised` returns true. Returns true if anything changed.
fn promise_in(call: Value, is_promised: impl Fn(u32, Value) -> bool) -> bool {
    let mut changed = false;
    for (position, argument) in (0..).zip(call.arguments()) {
        if argument.is_plain_pointer() && is_promised(position, argument) {
            call.say_not_captured(position + 1);
            changed = true;
        }
    }
    changed
}

/// Returns whether a symbol belongs to a module procedure without BIND(C). (With BIND(C), the symbol would be the
/// binding name.)
fn is_module_procedure(symbol: &str) -> bool {
    symbol.strip_prefix("_QM").is_some_and(|rest| rest.contains('P'))
}

/// Returns true if the run-time library keeps no copy of this argument (counted from 0).
fn is_uncaptured(name: &str, position: u32) -> bool {
    let mut rows = include_str!("uncaptured.txt").lines().filter(|line| line.starts_with('_'));
    rows.any(|line| {
        let row = line.split_once(' ').and_then(|(name, argument)| Some((name, argument.parse().ok()?)));
        let (pattern, argument): (&str, u32) =
            row.unwrap_or_else(|| panic!("uncaptured.txt has an invalid line: {line}"));
        argument == position && matches(pattern, name)
    })
}
