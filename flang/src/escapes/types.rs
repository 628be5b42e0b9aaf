//! The procedures that the run-time library runs for a derived type: its input, output and end.
//!
//! flang describes a type in a constant that is named `….dt.name`, from LLVM 22 on `…XdtXname`; what that leads to
//! named `….s.name` has the procedures.

use crate::calls::is_memory_copy;
use crate::llvm::{opcode::*, *};
use std::collections::HashSet;

/// What a global of the front end describes.
#[derive(PartialEq, Eq)]
enum Described {
    Type,
    Procedures,
    Bindings,
    Other,
}

fn described(global: Value) -> Described {
    let name = global.name();
    let is = |kind: &str| name.contains(&format!("E.{kind}.")) || name.contains(&format!("EX{kind}X"));
    // The compiler's own types have none.
    match name.starts_with("_Q") && !name.starts_with("_QM__fortran_") {
        true if is("dt") => Described::Type,
        true if is("s") => Described::Procedures,
        true if is("v") => Described::Bindings,
        _ => Described::Other,
    }
}

/// Whether a module has any such procedure, or a type of which it does not say whether it has.
pub fn have_procedures(module: Module) -> bool {
    module.globals().any(|global| match described(global) {
        Described::Type => global.is_declaration(),
        Described::Procedures => true,
        _ => false,
    })
}

/// The procedures of the type, and of its components' types, that a descriptor says it describes; `None` if that is
/// not seen, or one of them is elsewhere.
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

/// The address that a descriptor has in its first word, if one store of it makes it what it is: of an aggregate, or of
/// another such descriptor.
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

/// What makes a variable what it is.
enum Filled {
    Value(Value),
    From(Value),
}

impl Filled {
    /// What an instruction that uses a variable puts there, if anything.
    fn by(user: Value, variable: Value) -> Option<Self> {
        if user.opcode() == Some(STORE) && user.operand(1) == variable {
            return Some(Filled::Value(user.operand(0)));
        }
        (is_memory_copy(user) && user.operand(0) == variable).then(|| Filled::From(user.operand(1)))
    }
}

/// What the one store or copy puts in a variable, which is read beside that, or described to the library.
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
