//! Messages for the compiler's user, with source locations.

use crate::llvm::*;
use std::fmt;
use std::io::Write;

/// Severity of a remark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// A message about an instruction.
#[derive(Clone, Debug)]
pub struct Remark {
    pub severity: Severity,
    /// The file, line and column, as far as they are known.
    position: String,
    text: String,
    /// The procedures and source locations to which the message refers, as text.
    within: String,
}

impl Remark {
    pub fn new(severity: Severity, instruction: Value, text: String) -> Self {
        let within = within(instruction);
        Remark { severity, position: position(instruction), text, within }
    }

    /// Returns a remark that does not concern a particular instruction.
    pub fn general(severity: Severity, text: String) -> Self {
        Remark { severity, position: String::new(), text, within: String::new() }
    }

    /// Adds the source line and the procedure of the instruction that takes an address, unless the remark already names
    /// that procedure. (Internal procedures of two hosts may have the same name.)
    pub fn taken_at(mut self, instruction: Value) -> Self {
        let taken = position(instruction);
        let taker = qualified(&instruction.function().name());
        if self.within != taker {
            let at = taken.strip_suffix(": ").map(|position| format!(" at {position}")).unwrap_or_default();
            self.within = format!("{}, taken{at} in {taker}", self.within);
        }
        self
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let severity = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{}{severity}: {}", self.position, self.text)?;
        if self.within.is_empty() {
            return Ok(());
        }
        // Without debug information the line is unknown.
        let hint =
            if self.position.is_empty() { "; compile with -gline-tables-only to see the line" } else { "" };
        write!(f, " (in {}{hint})", self.within)
    }
}

/// Returns the file, line and column of an instruction, as far as they are known, followed by a colon and a space.
fn position(instruction: Value) -> String {
    let function = instruction.function();
    let location = instruction.location();
    let file = location
        .and_then(|it| LLVMDILocationGetScope(it))
        .or_else(|| function.subprogram().map(Subprogram::scope))
        .and_then(|it| LLVMDIScopeGetFile(it))
        .map(file_name);
    match (location, function.subprogram(), file) {
        (Some(at), _, Some(file)) if LLVMDILocationGetLine(at) != 0 => {
            format!("{file}:{}:{}: ", LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at))
        }
        (_, Some(subprogram), Some(file)) => format!("{file}:{}: ", LLVMDISubprogramGetLine(subprogram)),
        _ => String::new(),
    }
}

/// Returns the name of the procedure that contains an instruction.
fn within(instruction: Value) -> String {
    qualified(&instruction.function().name())
}

/// Returns the name of a procedure, followed by its host's name if it is internal. flang's symbols have the form
/// `_QMmoduleFhostPinner`.
fn qualified(symbol: &str) -> String {
    let inner = procedure(symbol);
    let mangled = symbol.split("..omp").next().unwrap_or(symbol);
    let hosts = mangled.strip_prefix("_Q").and_then(|it| it.strip_suffix(&format!("P{inner}")));
    match hosts.and_then(|it| it.rsplit_once('F')) {
        Some((_, "")) => format!("{inner} of the main program"),
        Some((_, host)) if !host.contains(|c: char| c.is_ascii_uppercase()) => format!("{inner} of {host}"),
        _ => inner,
    }
}

/// Returns the source name of the procedure with this symbol. flang's symbols have the form `_QMmoduleFhostPinner` or
/// `outer_`.
pub fn procedure(symbol: &str) -> String {
    let Some(mangled) = symbol.strip_prefix("_Q") else {
        // The symbol of an OpenMP region's function begins with the host's symbol: `outer_..omp_par`.
        let symbol = symbol.split("..omp").next().unwrap_or(symbol);
        return symbol.strip_suffix('_').unwrap_or(symbol).into();
    };
    if mangled == "Qmain" {
        return "the main program".into();
    }
    // Each capital letter specifies the kind of the name that follows it. The last name is the procedure's own name.
    let mangled = mangled.split("..omp").next().unwrap_or(mangled);
    mangled
        .rsplit(|c: char| c.is_ascii_uppercase())
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or("the main program")
        .into()
}

/// Prints a line for the user. A failure to write to standard error is ignored.
pub fn say(line: impl fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints remarks in the usual compiler format. (Of the diagnostics from LLVM passes, flang itself prints only those
/// about optimizations.) If one of the remarks is an error, the compiler terminates.
pub fn print(remarks: &[Remark]) {
    for remark in remarks {
        say(remark);
    }
    if remarks.iter().any(|remark| remark.severity == Severity::Error) {
        std::process::exit(1)
    }
}
