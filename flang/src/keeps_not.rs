//! The procedures that a file names which keep nothing of what they are given: neither in a variable, nor in their result.

use crate::llvm::*;
use crate::report::procedure;
use std::collections::HashSet;
use std::ffi::OsStr;

/// The names that the file has which `STATICTRAMP_KEEPS_NOT` names.
#[derive(Default)]
pub struct KeepsNot {
    /// As they are written: symbols.
    symbols: HashSet<String>,
    /// In small letters, as Fortran's names have no case.
    fortran: HashSet<String>,
}

impl KeepsNot {
    /// Of the environment; without the variable there are none.
    ///
    /// # Errors
    /// A sentence: the file cannot be read, or is no list of names.
    pub fn new() -> Result<Self, String> {
        match std::env::var_os("STATICTRAMP_KEEPS_NOT").filter(|file| !file.is_empty()) {
            Some(file) => read(&file),
            None => Ok(KeepsNot::default()),
        }
    }

    /// Whether it names the procedure of a symbol: by the symbol as it is, or by the name in the source for which flang
    /// writes such a symbol. A BIND(C) procedure whose binding ends in `_` looks like another; that is all that can be told.
    pub fn has(&self, symbol: &str) -> bool {
        let is_fortran =
            symbol.starts_with("_Q") || (symbol.ends_with('_') && symbol.to_lowercase() == symbol);
        self.symbols.contains(symbol) || (is_fortran && self.fortran.contains(&procedure(symbol)))
    }

    /// Has calls of these procedures say so, for the optimizer: of those that are defined elsewhere, as it sees for itself
    /// what others do. True if anything changed.
    pub fn tell_optimizer(&self, module: Module) -> bool {
        let mut changed = false;
        for function in module.functions().filter(|it| it.is_declaration() && self.has(&it.name())) {
            for call in function.users().into_iter().filter(|user| user.is_call()) {
                if call.called_function() != Some(function) {
                    continue; // it is an argument there
                }
                for (position, argument) in (1..).zip(call.arguments()) {
                    if argument.is_plain_pointer() {
                        call.say_not_captured(position);
                        changed = true;
                    }
                }
            }
        }
        changed
    }
}

/// Names, one a line: of a Fortran procedure as the source has it, else of the symbol. What follows a `#` is a comment.
fn read(file: &OsStr) -> Result<KeepsNot, String> {
    let shown = file.to_string_lossy();
    let text = std::fs::read(file).map_err(|why| format!("STATICTRAMP_KEEPS_NOT: {shown}: {why}"))?;
    let text = String::from_utf8(text).map_err(|_| format!("STATICTRAMP_KEEPS_NOT: {shown} is not text"))?;
    let mut names = KeepsNot::default();
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
        names.symbols.insert(name.to_owned());
        names.fortran.insert(name.to_lowercase());
    }
    Ok(names)
}
