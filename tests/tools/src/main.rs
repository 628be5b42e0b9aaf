//! Generators of test programs, and comparisons that the legs make: `test-tools COMMAND ARGUMENT...`.

mod api;
mod archives;
mod asked_for;
mod cpp_classes;
mod cpp_signatures;
mod fortran_calls;
mod guards;
mod houses;
mod ir_module;
mod landing_pads;
mod layers;
mod library_calls;
mod mutant;
mod names;
mod plan;
mod random;
mod reached;
mod reroute;
mod same_code;
mod signatures;
mod sized_ir;
mod stated;
mod unchanged;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

/// A command with its name and its arguments.
type Command = (&'static str, fn(&[&str]) -> Outcome);

/// The end of a command: the reason why it failed.
type Outcome = Result<(), String>;

const COMMANDS: &[Command] = &[
    ("api", api::run),
    ("asked-for", asked_for::run),
    ("bind-uses", archives::bind_uses),
    ("bind-misuses", archives::bind_misuses),
    ("bind-calls", archives::bind_calls),
    ("cpp-classes", cpp_classes::run),
    ("cpp-signatures", cpp_signatures::run),
    ("fortran-calls", fortran_calls::run),
    ("ir-module", ir_module::run),
    ("only-ours", archives::only_ours),
    ("own-names", archives::own_names),
    ("same-results", archives::same_results),
    ("landing-pads", landing_pads::run),
    ("guards", guards::run),
    ("houses", houses::run),
    ("layers", layers::run),
    ("library-calls", library_calls::run),
    ("mutant", mutant::run),
    ("names", names::run),
    ("plan", plan::run),
    ("reached", reached::run),
    ("reroute", reroute::run),
    ("same-code", same_code::run),
    ("signatures", signatures::run),
    ("sized-ir", sized_ir::run),
    ("stated", stated::run),
    ("unchanged", unchanged::run),
];

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let found = arguments.split_first().and_then(|(name, rest)| {
        let (_, run) = COMMANDS.iter().find(|(command, _)| command == name)?;
        Some(run(rest))
    });
    match found {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(why)) => {
            eprintln!("test-tools {}: {why}", arguments[0]);
            ExitCode::FAILURE
        }
        None => {
            let names: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
            eprintln!("usage: test-tools COMMAND ARGUMENT..., with one of the commands {}", names.join(", "));
            ExitCode::from(2)
        }
    }
}

/// Returns the error about a wrong number of arguments.
fn usage(arguments: &str) -> String {
    format!("the arguments must be {arguments}")
}

/// Reads a text file.
fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|why| format!("{path}: {why}"))
}

/// Writes a file.
fn write(path: &str, bytes: &[u8]) -> Outcome {
    File::create(path).and_then(|mut file| file.write_all(bytes)).map_err(|why| format!("{path}: {why}"))
}

/// Writes text to standard output.
fn print(text: &str) -> Outcome {
    io::stdout().write_all(text.as_bytes()).map_err(|why| format!("standard output: {why}"))
}

/// Returns the output of a command, which must succeed.
fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = std::process::Command::new(program).args(arguments).output();
    let output = output.map_err(|why| format!("{program}: {why}"))?;
    if !output.status.success() {
        return Err(format!("{program}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the path without `.` and `..`, or `None` if it leads out of the directory to which it is relative.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir if !plain.pop() => return None,
            Component::ParentDir | Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// Compiles a regular expression, which is part of this program.
fn regex(pattern: &str) -> regex::Regex {
    regex::Regex::new(pattern).expect("a regular expression of this program is valid")
}
