//! The list of procedures that keep their arguments' addresses in neither a variable nor a result.

use crate::calls_not_kept::CallsNotKept;
use crate::report::procedure;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;

/// The data arguments whose addresses a procedure does not keep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arguments {
    All,
    /// Numbers of dummy arguments, counted from 1 as in the source.
    Numbers(BTreeSet<u32>),
}

impl Arguments {
    /// Returns the arguments that both promises cover.
    fn and(self, other: &Arguments) -> Self {
        match (self, other) {
            (Arguments::All, other) => other.clone(),
            (one, Arguments::All) => one,
            (Arguments::Numbers(one), Arguments::Numbers(other)) => Arguments::Numbers(&one & other),
        }
    }
}

/// The combined promises of all lines with the same name.
#[derive(Default)]
struct Promise {
    data: Option<Arguments>,
    /// Whether the procedure keeps none of its procedure arguments.
    procedures: bool,
}

/// The contents of the file that `STATICTRAMP_KEEPS_NOT` specifies.
#[derive(Default)]
pub struct KeepsNot {
    /// Promises by symbol, as spelled in the file.
    symbols: HashMap<String, Promise>,
    /// Promises by lower-case name, since Fortran names are not case-sensitive.
    fortran: HashMap<String, Promise>,
    /// Promises for individual calls.
    pub calls: CallsNotKept,
}

impl KeepsNot {
    /// Reads the file that the environment variable specifies. If the variable is unset, no procedure is listed.
    ///
    /// # Errors
    /// Returns an error message if the file cannot be read or contains an invalid line.
    pub fn new() -> Result<Self, String> {
        match std::env::var_os("STATICTRAMP_KEEPS_NOT").filter(|file| !file.is_empty()) {
            Some(file) => read(&file),
            None => Ok(KeepsNot::default()),
        }
    }

    /// Returns the data arguments that the procedure with this symbol does not keep: those listed by every line about
    /// the procedure.
    pub fn data(&self, symbol: &str) -> Option<Arguments> {
        let promises = self.promises(symbol).filter_map(|promise| promise.data.as_ref());
        promises.fold(None, |found: Option<Arguments>, other| {
            Some(found.map_or_else(|| other.clone(), |found| found.and(other)))
        })
    }

    /// Returns whether the procedure with this symbol keeps none of its procedure arguments.
    pub fn keeps_no_procedure(&self, symbol: &str) -> bool {
        self.promises(symbol).any(|promise| promise.procedures)
    }

    /// Given a type's symbol and a binding's name, returns true if no procedure called through the binding keeps any of
    /// its procedure arguments. In a line `TYPE%BINDING`, `TYPE` is this symbol or the type's name.
    pub fn binding_keeps_no_procedure(&self, ty: &str, binding: &str) -> bool {
        let by_symbol = self.symbols.get(&format!("{ty}%{binding}"));
        let by_name = self.fortran.get(&format!("{}%{binding}", procedure(ty)));
        by_symbol.into_iter().chain(by_name).any(|promise| promise.procedures)
    }

    /// Returns the list's promises for a symbol, or for the source name that flang turns into this symbol.
    fn promises(&self, symbol: &str) -> impl Iterator<Item = &Promise> {
        let by_name = is_fortran(symbol).then(|| self.fortran.get(&procedure(symbol))).flatten();
        self.symbols.get(symbol).into_iter().chain(by_name)
    }

    fn add(&mut self, name: &str, what: &Promised) {
        let symbol = self.symbols.entry(name.to_owned()).or_default();
        let fortran = self.fortran.entry(name.to_lowercase()).or_default();
        for promise in [symbol, fortran] {
            match what {
                Promised::Procedures => promise.procedures = true,
                Promised::Data(arguments) => {
                    let before = promise.data.take();
                    promise.data =
                        Some(before.map_or_else(|| arguments.clone(), |before| before.and(arguments)));
                }
            }
        }
    }
}

/// Returns whether flang may use this symbol for a procedure without BIND(C). Binding names that end in `_` are also
/// treated as such symbols, because they look like those of external procedures.
pub fn is_fortran(symbol: &str) -> bool {
    symbol.starts_with("_Q") || (symbol.ends_with('_') && symbol.to_lowercase() == symbol)
}

/// The promise of one line.
enum Promised {
    Procedures,
    Data(Arguments),
}

/// Parses lines of the forms `NAME`, `NAME 1 3`, `NAME procedures` and `TYPE%BINDING procedures`, and lines about
/// individual calls, which contain `@`. A `#` starts a comment.
fn read(file: &OsStr) -> Result<KeepsNot, String> {
    let shown = file.to_string_lossy();
    let text = std::fs::read(file).map_err(|why| format!("STATICTRAMP_KEEPS_NOT: {shown}: {why}"))?;
    let text =
        String::from_utf8(text).map_err(|_| format!("STATICTRAMP_KEEPS_NOT: {shown} is not valid UTF-8"))?;
    let mut names = KeepsNot::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.contains('@') && names.calls.read(line) {
            continue;
        }
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        let mut parts = name.split('%');
        let is_name = parts.all(|part| part.chars().all(|c| c.is_alphanumeric() || "_$.".contains(c)));
        let is_binding = name.contains('%');
        match promised(words) {
            Some(what) if is_name && (!is_binding || matches!(what, Promised::Procedures)) => {
                names.add(name, &what)
            }
            _ => {
                return Err(format!(
                    "STATICTRAMP_KEEPS_NOT: {shown}:{}: \"{line}\" is not the name of a procedure, optionally followed by \
                     argument numbers or the word \"procedures\"",
                    number + 1
                ));
            }
        }
    }
    Ok(names)
}

/// Returns the promise expressed by the words after a name.
fn promised<'a>(words: impl Iterator<Item = &'a str>) -> Option<Promised> {
    let words: Vec<&str> = words.collect();
    match words[..] {
        [] => Some(Promised::Data(Arguments::All)),
        ["procedures"] => Some(Promised::Procedures),
        _ => {
            let number = |word: &&str| word.parse().ok().filter(|number| *number > 0);
            let numbers: Option<BTreeSet<u32>> = words.iter().map(number).collect();
            numbers.map(|numbers| Promised::Data(Arguments::Numbers(numbers)))
        }
    }
}
