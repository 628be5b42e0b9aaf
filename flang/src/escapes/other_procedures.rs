//! Possible uses of an address by procedures defined outside the module.

use super::bindings::Bindings;
use super::library::{Use, known_use};
use super::{tasks, types};
use crate::keeps_not::KeepsNot;
use crate::llvm::*;
use crate::report::procedure;

/// Information about procedures outside the module.
pub struct OtherProcedures<'a> {
    /// The list of procedures that do not keep their arguments.
    keeps_not: &'a KeepsNot,
    bindings: Bindings,
    /// Whether a type in the module may have procedures that the run-time library calls.
    pub types_have_procedures: bool,
    /// Whether the module registers procedures that run after the main program has ended.
    pub runs_at_exit: bool,
    /// The calls that allocate the module's tasks.
    pub tasks: Vec<Value>,
}

impl<'a> OtherProcedures<'a> {
    /// Collects this information for a module.
    pub fn new(module: Module, keeps_not: &'a KeepsNot) -> Self {
        OtherProcedures {
            keeps_not,
            bindings: Bindings::new(module),
            types_have_procedures: types::have_procedures(module),
            runs_at_exit: module.functions().any(|it| runs_at_exit(&it.name()) && !it.users().is_empty()),
            tasks: tasks::all(module),
        }
    }

    /// Returns the reason why a call may keep an argument: the address itself, or a pointer to memory that contains it.
    pub fn unseen(&self, call: Value, position: u32, holds_it: bool) -> Option<String> {
        let function = call.called_function();
        if !holds_it
            && [Some(call), function].into_iter().flatten().any(|of| of.says_not_captured(position + 1))
        {
            return None;
        }
        let Some(name) = function.map(Value::name) else {
            return self.known_at_run_time(call);
        };
        if self.keeps_not.keeps_no_procedure(&name) {
            return None;
        }
        match known_use(&name, position) {
            Some(Use::Nothing) => return None,
            Some(Use::ItsType) if !self.types_have_procedures => return None,
            Some(Use::ItsType | Use::InputOutput) => {
                return Some(format!("it is passed to {name}, which may run a procedure of its type"));
            }
            Some(Use::Keeps) => return Some(format!("it is passed to {name}, which keeps it")),
            Some(Use::Copies) | None => {}
        }
        Some(if name.starts_with("_FortranA") {
            format!("it is passed to {name}, a function of the run-time library")
        } else if name.starts_with("_Q") || name.ends_with('_') {
            format!("it is passed to '{}', which is not in this file", procedure(&name))
        } else {
            format!("it is passed to '{name}', a BIND(C) procedure that is not in this file")
        })
    }

    /// Returns the reason why an indirect call may keep an argument. A type-bound call keeps no
    /// argument if, according to the list, none of the bindings that it may use does.
    fn known_at_run_time(&self, call: Value) -> Option<String> {
        let why = "it is passed to a procedure that is known only at run time";
        let Some(bindings) = self.bindings.of(call) else { return Some(why.into()) };
        let kept =
            bindings.into_iter().filter(|(ty, name)| !self.keeps_not.binding_keeps_no_procedure(ty, name));
        let kept: Vec<String> = kept.map(|(ty, name)| format!("{ty}%{name}")).collect();
        (!kept.is_empty()).then(|| format!("{why} (type-bound: {})", kept.join(" or ")))
    }
}

/// Returns whether a function registers another function to run after the main program has ended.
fn runs_at_exit(name: &str) -> bool {
    ["atexit", "at_quick_exit", "on_exit", "__cxa_atexit", "__cxa_at_quick_exit", "__cxa_thread_atexit"]
        .contains(&name)
}

/// If a call can run procedures of only one derived type, returns the index of the argument that describes an object of
/// that type.
pub fn described_argument(call: Value, name: &str) -> Option<u32> {
    match name {
        "_FortranADestroy" | "_FortranAFinalize" => Some(0),
        "_FortranAioOutputDerivedType" | "_FortranAioInputDerivedType" => {
            ["default.nonTbpDefinedIoTable", "_QQdefaultXnonTbpDefinedIoTable"]
                .contains(&call.operand(2).name().as_str())
                .then_some(1)
        }
        _ => None,
    }
}
