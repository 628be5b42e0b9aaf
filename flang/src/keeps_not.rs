//! The list of procedures that do not keep their arguments, neither in a variable nor in a result.

use crate::report::procedure;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;

/// Data arguments whose addresses a procedure does not keep.
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

/// The promises of all lines with one name.
#[derive(Default)]
struct Promise {
    data: Option<Arguments>,
    /// Whether the procedure keeps no procedure argument.
    procedures: bool,
}

/// The contents of the file that `STATICTRAMP_KEEPS_NOT` names.
#[derive(Default)]
pub struct KeepsNot {
    /// Promises by symbol, spelled exactly as in the file.
    symbols: HashMap<String, Promise>,
    /// Promises by lower-case name, since Fortran names are not case-sensitive.
    fortran: HashMap<String, Promise>,
}

impl KeepsNot {
    /// Reads the file that the environment variable names; without the variable no procedure is listed.
    ///
    /// # Errors
    /// An error message if the file cannot be read or has an invalid line.
    pub fn new() -> Result<Self, String> {
        match std::env::var_os("STATICTRAMP_KEEPS_NOT").filter(|file| !file.is_empty()) {
            Some(file) => read(&file),
            None => Ok(KeepsNot::default()),
        }
    }

    /// Returns the data arguments that a symbol's procedure does not keep, according to all lines that name it.
    pub fn data(&self, symbol: &str) -> Option<Arguments> {
        let promises = self.promises(symbol).filter_map(|promise| promise.data.as_ref());
        promises.fold(None, |found: Option<Arguments>, other| {
            Some(found.map_or_else(|| other.clone(), |found| found.and(other)))
        })
    }

    /// Returns whether a symbol's procedure does not keep procedure arguments.
    pub fn keeps_no_procedure(&self, symbol: &str) -> bool {
        self.promises(symbol).any(|promise| promise.procedures)
    }

    /// Returns the promises for a symbol: those of the symbol itself, and those of the source name for which flang
    /// writes this symbol.
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

/// Returns whether flang may have written a symbol for a procedure without BIND(C). A binding name that ends in `_`
/// cannot be distinguished from the symbol of an external procedure.
pub fn is_fortran(symbol: &str) -> bool {
    symbol.starts_with("_Q") || (symbol.ends_with('_') && symbol.to_lowercase() == symbol)
}

/// The promise of one line.
enum Promised {
    Procedures,
    Data(Arguments),
}

/// Reads lines of the forms `NAME`, `NAME 1 3` and `NAME procedures`. A `#` starts a comment.
fn read(file: &OsStr) -> Result<KeepsNot, String> {
    let shown = file.to_string_lossy();
    let text = std::fs::read(file).map_err(|why| format!("STATICTRAMP_KEEPS_NOT: {shown}: {why}"))?;
    let text = String::from_utf8(text).map_err(|_| format!("STATICTRAMP_KEEPS_NOT: {shown} is not text"))?;
    let mut names = KeepsNot::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        let is_name = name.chars().all(|c| c.is_alphanumeric() || "_$.".contains(c));
        match promised(words).filter(|_| is_name) {
            Some(what) => names.add(name, &what),
            None => {
                return Err(format!(
                    "STATICTRAMP_KEEPS_NOT: {shown}:{}: \"{line}\" is not the name of a procedure, which the numbers of \
                     arguments or the word \"procedures\" may follow",
                    number + 1
                ));
            }
        }
    }
    Ok(names)
}

/// Returns the promise stated by the words after a name.
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
