//! Calls to type-bound procedures through the binding tables of derived types.
//!
//! If a module makes type-bound calls for a type, flang also describes the type in that module. A constant whose name
//! contains `.v.` (`XvX` since LLVM 22) lists the type's bindings, and a call selects a binding by its index in that
//! list. The IR does not record the object's type, so the call may go through any table in the module that has enough
//! bindings.

use super::types::{Described, described};
use crate::llvm::{opcode::*, *};

/// The binding tables of a module.
pub struct Bindings {
    tables: Vec<Table>,
    /// Whether the module describes every type in it.
    all: bool,
}

struct Table {
    /// The type's symbol: `_QMmoduleTtype`.
    ty: String,
    /// The LLVM type of an entry.
    entry: Type,
    /// The names of the bindings. `None` stands for a name that is not visible.
    names: Vec<Option<String>>,
}

impl Bindings {
    pub fn new(module: Module) -> Self {
        let mut bindings = Bindings { tables: Vec::new(), all: true };
        for global in module.globals() {
            match (described(global), global.initializer()) {
                (Described::Type | Described::Bindings, None) => bindings.all = false,
                (Described::Bindings, Some(entries)) => match Table::new(global, entries) {
                    Some(table) => bindings.tables.push(table),
                    None => bindings.all = false,
                },
                _ => {}
            }
        }
        bindings
    }

    /// Returns the bindings that a call may use, each with its type's symbol, or `None` if the binding's index is not
    /// constant or some type or name is not visible.
    pub fn of(&self, call: Value) -> Option<Vec<(&str, &str)>> {
        let number = self.number(call.called_value()).filter(|_| self.all)?;
        let tables = self.tables.iter().filter(|table| table.names.len() > number);
        let bindings: Option<Vec<_>> =
            tables.map(|table| Some((table.ty.as_str(), table.names[number].as_deref()?))).collect();
        bindings.filter(|bindings| !bindings.is_empty())
    }

    /// Returns the index of the binding whose address was loaded.
    fn number(&self, mut address: Value) -> Option<usize> {
        while matches!(address.opcode(), Some(BIT_CAST | INT_TO_PTR)) {
            address = address.operand(0);
        }
        let mut at = (address.opcode() == Some(LOAD)).then(|| address.operand(0))?;
        // The address is in the first word of the entry.
        while at.opcode() == Some(GET_ELEMENT_PTR) {
            let mut indices = at.operands().skip(1);
            let first = indices.next()?.as_integer()?;
            if !indices.all(|index| index.as_integer() == Some(0)) {
                return None;
            }
            let is_table = self.tables.iter().any(|table| table.entry == at.source_element_type());
            if is_table && at.operands().count() == 2 {
                return usize::try_from(first).ok();
            }
            at = (first == 0).then(|| at.operand(0))?;
        }
        None
    }
}

impl Table {
    fn new(table: Value, entries: Value) -> Option<Table> {
        let name = table.name();
        let (scope, ty) = name.split_once("E.v.").or_else(|| name.split_once("EXvX"))?;
        let entry = LLVMTypeOf(entries.operands().next()?);
        Some(Table {
            ty: format!("{scope}T{ty}"),
            entry,
            names: entries.operands().map(binding_name).collect(),
        })
    }
}

/// Given a binding's entry (the address, then a descriptor of the name), returns the binding's name.
fn binding_name(entry: Value) -> Option<String> {
    let text = entry.operands().nth(1)?.operands().next()?;
    let symbol = LLVMIsAGlobalVariable(text)?.name();
    let (_, name) = symbol.split_once("E.n.").or_else(|| symbol.split_once("EXnX"))?;
    Some(name.to_owned())
}
