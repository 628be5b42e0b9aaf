//! The list's promises for individual calls, as derived by `statictramp captures --compile`.
//!
//! A line `CALLEE@FUNCTION:LINE:COLUMN 1 3 of 4` makes a promise about some arguments of the calls at one position in a
//! function. Arguments are counted from 1, in their order in the LLVM IR. The callee `*` stands for calls through a
//! pointer; a line with `none` in place of the numbers makes no promise. A line `@TOKEN` identifies the compilation to
//! which the following lines belong; in any other compilation, these lines have no effect, because the calls at their
//! positions may have changed.

mod lines;

use crate::llvm::*;
use lines::Position;
pub use lines::{CallsNotKept, Promise};
use std::collections::{HashMap, HashSet};

impl Promise {
    /// Returns whether the promise covers the call argument with this zero-based index.
    pub fn covers(&self, call: Value, argument: u32) -> bool {
        self.count == Some(call.argument_count()) && self.numbers.contains(&(argument + 1))
    }
}

impl CallsNotKept {
    /// Returns the promises for a module's calls. In each function, the promises for a callee apply only if the calls
    /// to it are at exactly the positions listed.
    pub fn find(&self, module: Module) -> HashMap<Value, &Promise> {
        let mut found = HashMap::new();
        for (function, groups) in &self.groups {
            let Some(function) = module.function(function).filter(|it| !it.is_declaration()) else {
                continue;
            };
            let mut calls: HashMap<&str, Vec<(Value, Option<Position>)>> = HashMap::new();
            for call in function.instructions().filter(|it| it.is_call()) {
                let callee = call.called_function().map_or_else(|| "*".into(), Value::name);
                if let Some((callee, _)) = groups.get_key_value(&callee) {
                    calls.entry(callee).or_default().push((call, position(call)));
                }
            }
            for (callee, calls) in calls {
                let group = &groups[callee];
                let positions: Option<HashSet<Position>> = calls.iter().map(|it| it.1).collect();
                if positions
                    .is_some_and(|it| it.len() == group.len() && it.iter().all(|it| group.contains_key(it)))
                {
                    found.extend(calls.iter().filter_map(|it| Some((it.0, group.get(&it.1?)?))));
                }
            }
        }
        found
    }
}

/// Returns the position of a call, unless the call was inlined from another function.
fn position(call: Value) -> Option<Position> {
    let location = call.location().filter(|it| LLVMDILocationGetInlinedAt(*it).is_none())?;
    Some((LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location)))
}
