//! Procedures that the run-time library runs for a derived type: defined input and output, and finalization.
//!
//! flang describes a type in a constant whose name contains `.dt.` (`XdtX` since LLVM 22). This constant points to a
//! second one, with `.s.` in its name, that lists the procedures.

use crate::calls::is_memory_copy;
use crate::llvm::{opcode::*, *};
use std::collections::HashSet;

/// The kind of entity that a front-end global describes.
#[derive(PartialEq, Eq)]
pub enum Described {
    Type,
    Procedures,
    Bindings,
    Other,
}

/// Returns the kind of entity that a global variable describes.
pub fn described(global: Value) -> Described {
    let name = global.name();
    let is = |kind: &str| name.contains(&format!("E.{kind}.")) || name.contains(&format!("EX{kind}X"));
    // The compiler's own types (`__fortran_...`) have no final procedures and no procedures for defined I/O.
    match name.starts_with("_Q") && !name.starts_with("_QM__fortran_") {
        true if is("dt") => Described::Type,
        true if is("s") => Described::Procedures,
        true if is("v") => Described::Bindings,
        _ => Described::Other,
    }
}

/// Returns true if the run-time library runs a procedure for one of the module's derived types, or if the description
/// of one is not visible.
pub fn have_procedures(module: Module) -> bool {
    module.globals().any(|global| match described(global) {
        Described::Type => global.is_declaration(),
        Described::Procedures => true,
        _ => false,
    })
}

/// Returns the procedures of a descriptor's type and of its components' types. Returns `None` if the type is not
/// visible, or if one of the procedures is defined elsewhere.
pub fn procedures(descriptor: Value) -> Option<Vec<Value>> {
    let mut todo = vec![descriptor];
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    let mut knows_type = false;
    while let Some(value) = todo.pop() {
        if !seen.insert(value) {
            continue;
        }
        if let Some(function) = LLVMIsAFunction(value) {
            if function.is_declaration() {
                return None;
            }
            found.push(function);
        } else if LLVMIsAGlobalVariable(value).is_some() {
            let what = described(value);
            knows_type |= what == Described::Type;
            match value.initializer() {
                None if matches!(what, Described::Type | Described::Procedures) => return None,
                Some(value) if what != Described::Bindings => todo.push(value),
                _ => {}
            }
        } else if value.opcode() == Some(ALLOCA) {
            todo.extend(value.users().into_iter().filter_map(|user| match Filled::by(user, value)? {
                Filled::Value(it) | Filled::From(it) => Some(it),
            }));
        } else if value.opcode() == Some(LOAD) {
            todo.push(value.operand(0));
        } else if LLVMIsAConstant(value).is_some() || value.opcode() == Some(INSERT_VALUE) {
            todo.extend(value.operands());
        }
    }
    knows_type.then_some(found)
}

/// Returns the address in the first word of a descriptor. Returns `None` unless the descriptor is initialized by a
/// single store of an aggregate, or by a copy of a descriptor that is initialized in this way.
pub fn described_base(mut descriptor: Value) -> Option<Value> {
    const MOST_COPIES: usize = 8;
    for _ in 0..MOST_COPIES {
        let mut value = match filled_by(descriptor)? {
            Filled::Value(value) => value,
            Filled::From(other) => {
                descriptor = other;
                continue;
            }
        };
        while value.opcode() == Some(INSERT_VALUE) {
            if value.indices() == [0] {
                return Some(value.operand(1));
            }
            value = value.operand(0);
        }
        match value.opcode() {
            Some(LOAD) => descriptor = value.operand(0),
            _ => return LLVMIsAConstant(value)?.operands().next().and_then(|it| LLVMIsAGlobalVariable(it)),
        }
    }
    None
}

/// The initialization of a variable.
enum Filled {
    Value(Value),
    From(Value),
}

impl Filled {
    /// Returns how an instruction initializes a variable, or `None` if the instruction does not write the variable.
    fn by(user: Value, variable: Value) -> Option<Self> {
        if user.opcode() == Some(STORE) && user.operand(1) == variable {
            return Some(Filled::Value(user.operand(0)));
        }
        (is_memory_copy(user) && user.operand(0) == variable).then(|| Filled::From(user.operand(1)))
    }
}

/// Returns the only value that is stored in a variable or copied to it. Returns `None` unless there is exactly one such
/// value, and all other uses of the variable are loads and calls.
fn filled_by(variable: Value) -> Option<Filled> {
    if variable.opcode() != Some(ALLOCA) {
        return None;
    }
    let mut filled = None;
    for user in variable.users() {
        match Filled::by(user, variable) {
            Some(by) if filled.is_none() => filled = Some(by),
            None if matches!(user.opcode(), Some(LOAD | CALL)) => {}
            _ => return None,
        }
    }
    filled
}
