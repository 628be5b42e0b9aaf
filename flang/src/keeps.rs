//! What a procedure does with an address that it is given, where its definition is not in the module.

use crate::llvm::*;
use crate::memory::called;
use crate::report::procedure;
use crate::types;
use std::collections::HashSet;
use std::ffi::OsStr;

/// What is known of procedures.
pub struct Keeps {
    /// The names of procedures that are known not to keep what they are given.
    not: HashSet<String>,
    /// Whether a type of the module may have procedures that the run-time library runs.
    pub types_have_procedures: bool,
}

impl Keeps {
    /// Of a module, with the names that the file has which `STATICTRAMP_KEEPS_NOT` names.
    ///
    /// # Errors
    /// A sentence: the file cannot be read, or is no list of names.
    pub fn new(module: Module) -> Result<Self, String> {
        let not = match std::env::var_os("STATICTRAMP_KEEPS_NOT").filter(|file| !file.is_empty()) {
            Some(file) => read(&file)?,
            None => HashSet::new(),
        };
        Ok(Keeps { not, types_have_procedures: types::have_procedures(module) })
    }

    /// Why an argument may be kept by a call: the address itself, or memory that holds it.
    pub fn unseen(&self, call: Value, position: u32, holds_it: bool) -> Option<String> {
        let Some(name) = called(call) else {
            return Some("it is passed to a procedure that is known only when the program runs".into());
        };
        let shown = procedure(&name);
        let is_fortran = name.starts_with("_Q") || name.ends_with('_');
        if self.not.contains(&name) || (is_fortran && self.not.contains(&shown)) {
            return None;
        }
        let function = call.callee()?;
        if !holds_it && [call, function].into_iter().any(|of| is_not_captured(of, position)) {
            return None;
        }
        if let Some(known) = self.is_kept_by_library(&name, position) {
            return known.then(|| format!("it is passed to {name}, which may run a procedure of its type"));
        }
        Some(if name.starts_with("_FortranA") {
            format!("it is passed to {name} of the run-time library")
        } else if is_fortran {
            format!("it is passed to '{shown}', which is not in this file")
        } else {
            format!("it is passed to '{name}', a BIND(C) procedure that is not in this file")
        })
    }

    /// Whether a function of the run-time libraries may keep what it is given, if that is known of it. They themselves
    /// do not, but a type's own input, output and end may.
    fn is_kept_by_library(&self, name: &str, position: u32) -> Option<bool> {
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        // A variable that holds an address has no output but its type's own.
        if starts(&["_FortranAioOutputDerivedType", "_FortranAioInputDerivedType"]) {
            return Some(true);
        }
        // These change their first argument, whose old value may have an end of its own.
        if position == 0
            && starts(&["_FortranAAssign", "_FortranAAllocatable", "_FortranAPointer", "_FortranAMoveAlloc"])
        {
            return Some(self.types_have_procedures);
        }
        if starts(&[
            "_FortranAioOutputDescriptor",
            "_FortranAioInputDescriptor",
            "_FortranAioOutputNamelist",
            "_FortranAioInputNamelist",
            "_FortranADestroy",
            "_FortranAFinalize",
        ]) && name != "_FortranADestroyWithoutFinalization"
        {
            return Some(self.types_have_procedures);
        }
        starts(&[
            "_FortranAio",
            "_FortranAProgram",
            "_FortranAStop",
            "_FortranAInitialize",
            "_FortranADestroyWithoutFinalization",
            "__kmpc_barrier",
            "__kmpc_critical",
            "__kmpc_end_",
            "__kmpc_dispatch",
            "__kmpc_for_static",
            "__kmpc_dist_for_static",
            "__kmpc_omp_task_with_deps",
            "__kmpc_omp_taskwait",
            "__kmpc_omp_wait_deps",
        ])
        .then_some(false)
    }
}

/// Procedures that run another when the main program has ended.
pub fn runs_at_exit(name: &str) -> bool {
    ["atexit", "at_quick_exit", "on_exit", "__cxa_atexit", "__cxa_at_quick_exit", "__cxa_thread_atexit"]
        .contains(&name)
}

/// The argument of a call that is the descriptor of something whose type's own procedures may be run, if it is such a
/// call and they are none but the type's.
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

/// LLVM 19 and 20 write `nocapture`, later ones `captures(none)`, whose value is zero.
fn is_not_captured(of: Value, position: u32) -> bool {
    of.has_attribute(position + 1, "nocapture")
        || of.attribute(position + 1, "captures").is_some_and(|what| LLVMGetEnumAttributeValue(what) == 0)
}

/// Names, one a line: of a Fortran procedure as the source has it, else of the symbol. What follows a `#` is a comment.
fn read(file: &OsStr) -> Result<HashSet<String>, String> {
    let shown = file.to_string_lossy();
    let text = std::fs::read(file).map_err(|why| format!("STATICTRAMP_KEEPS_NOT: {shown}: {why}"))?;
    let text = String::from_utf8(text).map_err(|_| format!("STATICTRAMP_KEEPS_NOT: {shown} is not text"))?;
    let mut names = HashSet::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(name) = words.next() else { continue };
        let is_name = name.chars().all(|c| c.is_alphanumeric() || "_$.".contains(c));
        if !is_name || words.next().is_some() {
            return Err(format!(
                "STATICTRAMP_KEEPS_NOT: {shown}:{}: \"{}\" is not the name of a procedure",
                number + 1,
                line.trim()
            ));
        }
        names.insert(name.to_owned());
        names.insert(name.to_lowercase()); // Fortran's names have no case
    }
    Ok(names)
}
