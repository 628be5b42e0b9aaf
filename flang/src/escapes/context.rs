//! Call contexts: the chains of calls through which a function is reached. Contexts distinguish the arguments of
//! different calls.
//!
//! A recursive call shares the first call's context, so a parameter's value may come from either call, and a result may
//! go to either caller.

use crate::calls::{
    INIT, REGION, TASK_ALLOC, TASK_ENTRY, TASK_PARAMETER, called, chain_parameter, is_fork, region_argument,
    region_parameter,
};
use crate::llvm::*;
use std::collections::HashMap;

/// The identifier of a function reached through a particular chain of calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Context(usize);

/// The context outside all calls that the search has entered. Its code runs while the host is active.
pub const ROOT: Context = Context(0);

/// A call that enters a context, and the caller's context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub call: Value,
    pub from: Context,
}

struct Node {
    function: Value,
    entries: Vec<Entry>,
}

/// All contexts of a search.
pub struct Contexts {
    /// All contexts except the root.
    nodes: Vec<Node>,
    known: HashMap<(Value, Value, Context), Context>,
    /// Whether a context has gained an entry since this flag was last queried.
    joined: bool,
}

/// Maximum number of contexts. Ordinary programs need fewer.
const MOST: usize = 4096;

impl Contexts {
    pub fn new() -> Self {
        Contexts { nodes: Vec::new(), known: HashMap::new(), joined: false }
    }

    /// Returns the context of a function entered by this call, or `None` if there are too many contexts.
    pub fn enter(&mut self, function: Value, call: Value, from: Context) -> Option<Context> {
        if let Some(context) = self.known.get(&(call, function, from)) {
            return Some(*context);
        }
        let entry = Entry { call, from };
        let context = match self.outer(function, entry) {
            Some(outer) => {
                self.nodes[outer.0 - 1].entries.push(entry);
                self.joined = true;
                outer
            }
            None if self.nodes.len() == MOST => return None,
            None => {
                self.nodes.push(Node { function, entries: vec![entry] });
                Context(self.nodes.len())
            }
        };
        self.known.insert((call, function, from), context);
        Some(context)
    }

    /// Returns the innermost enclosing context of `function` that this call has already entered; if there is one, the
    /// call is recursive.
    fn outer(&self, function: Value, Entry { call, from }: Entry) -> Option<Context> {
        let mut at = from;
        while at != ROOT {
            let node = &self.nodes[at.0 - 1];
            if node.function == function && node.entries.iter().any(|entry| entry.call == call) {
                return Some(at);
            }
            at = node.entries[0].from;
        }
        None
    }

    /// Returns the calls that enter a context, or an empty slice if the context does not belong to this function. The
    /// root belongs to no function.
    pub fn entries(&self, of: Context, function: Value) -> &[Entry] {
        match of.0.checked_sub(1).map(|index| &self.nodes[index]) {
            Some(node) if node.function == function => &node.entries,
            _ => &[],
        }
    }

    /// Returns whether any context has gained an entry since the previous call to this function.
    pub fn take_joined(&mut self) -> bool {
        std::mem::take(&mut self.joined)
    }
}

/// The value that a function receives as a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passed {
    Value(Value),
    /// The task that the given call allocates.
    Task(Value),
}

/// Returns the value that a call passes for a parameter of the function, if that value is visible.
pub fn passed(call: Value, function: Value, number: u32) -> Option<Passed> {
    let operand = |index: u32| (index < call.argument_count()).then(|| Passed::Value(call.operand(index)));
    if call.called_value() == function {
        return operand(number);
    }
    let at = |index: u32| index < call.argument_count() && call.operand(index) == function;
    match called(call)?.as_str() {
        fork if is_fork(fork) && at(REGION) => operand(region_argument(fork, number)?),
        TASK_ALLOC if at(TASK_ENTRY) && number == TASK_PARAMETER => Some(Passed::Task(call)),
        INIT if at(1) && chain_parameter(function) == Some(number) => operand(2),
        _ => None,
    }
}

/// Returns the function that a call reaches, and the index of the parameter that receives the given argument. Returns
/// `None` if the function has no body.
pub fn entered(call: Value, argument: u32) -> Option<(Value, u32)> {
    let name = called(call).unwrap_or_default();
    let (function, number) = if name == INIT && argument == 2 {
        let callee = LLVMIsAFunction(call.operand(1))?;
        (callee, chain_parameter(callee)?)
    } else if let Some(number) = region_parameter(&name, argument) {
        (LLVMIsAFunction(call.operand(REGION))?, number)
    } else {
        (call.called_function()?, argument)
    };
    (!function.is_declaration() && number < function.parameter_count()).then_some((function, number))
}
