//! Removes attributes that the inserted code invalidates: an optimizer or front end may have declared that a function
//! does not write, free or synchronize, or that a pointer is read-only or not captured.

use crate::llvm::*;
use crate::points_to::Steps;
use std::collections::HashSet;

/// Attributes to remove from a function that calls the library, and from its direct and indirect callers.
const EFFECTS: [&str; 6] = ["memory", "nosync", "nofree", "willreturn", "norecurse", "speculatable"];

/// Attributes to remove from pointers that are passed to the library, and from pointers to tuples with appended cells
/// (see `cells.rs`).
const LIMITS: [&str; 10] = [
    "noalias",
    "readonly",
    "readnone",
    "writeonly",
    "nocapture",
    "captures",
    "initializes",
    "dead_on_unwind",
    "dead_on_return",
    "nofree",
];

/// Metadata to remove from a call, because it describes the call's memory accesses.
const OF_ACCESSES: [&str; 3] = ["tbaa", "alias.scope", "noalias"];

/// Removes the attributes in `EFFECTS` from the functions that the rewriting changes, from their callers, and from the
/// calls between them. Also removes the metadata in `OF_ACCESSES` from these calls, and the attributes in `LIMITS` from
/// the parameters that receive a chain.
pub fn permit(steps: &Steps, changed: Vec<Value>, addresses: &[Value], parameters: &[(Value, u32)]) {
    let module = steps.module();
    let kinds = OF_ACCESSES.map(|name| LLVMGetModuleContext(module).metadata_kind(name));
    let permit_call = |call: Value| {
        EFFECTS.iter().for_each(|effect| call.remove_attribute(FUNCTION_ATTRIBUTES, effect));
        kinds.iter().for_each(|kind| call.remove_metadata(*kind));
    };
    changed.iter().for_each(|function| function.remove_attribute(RESULT, "noalias"));
    let mut reached: HashSet<Value> = changed.iter().copied().collect();
    let mut todo = changed;
    // Code that receives a procedure's address may call the procedure.
    for address in addresses {
        for call in address.users().into_iter().filter(|user| user.is_call()) {
            permit_call(call);
            let callee = call.called_function().filter(|callee| !callee.is_intrinsic());
            let callers = callee.into_iter().chain([call.function()]);
            todo.extend(callers.filter(|function| reached.insert(*function)));
        }
    }
    let mut is_called_by_address = false;
    while let Some(function) = todo.pop() {
        steps.visit();
        EFFECTS.iter().for_each(|effect| function.remove_attribute(FUNCTION_ATTRIBUTES, effect));
        for user in function.users() {
            steps.visit();
            let mut callers = vec![];
            if user.is_call() && user.called_value() == function {
                permit_call(user);
                callers.push(user.function());
            } else {
                if LLVMIsAInstruction(user).is_some() {
                    callers.push(user.function());
                }
                if !is_called_by_address {
                    is_called_by_address = true;
                    callers.extend(indirect_calls(module, &permit_call));
                }
            }
            todo.extend(callers.into_iter().filter(|caller| reached.insert(*caller)));
        }
    }
    for (function, number) in parameters {
        permit_writes(*function, *number);
    }
}

/// Calls `permit` on every indirect call, and returns the functions that contain these calls.
fn indirect_calls(module: Module, permit: &dyn Fn(Value)) -> HashSet<Value> {
    let mut callers = HashSet::new();
    for function in module.functions() {
        for call in function.instructions().filter(|at| at.is_call() && at.called_function().is_none()) {
            permit(call);
            callers.insert(function);
        }
    }
    callers
}

/// Removes the attributes in `LIMITS`. These attributes are invalid for a parameter that receives a tuple, because
/// sibling procedures may write and read the cells after it.
fn permit_writes(function: Value, number: u32) {
    let calls = function.users().into_iter().filter(|user| user.is_call() && user.called_value() == function);
    for of in std::iter::once(function).chain(calls) {
        LIMITS.iter().for_each(|limit| of.remove_attribute(number + 1, limit));
    }
}
