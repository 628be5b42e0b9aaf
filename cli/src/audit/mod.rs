//! `statictramp audit`: which files ask for an executable stack, which of them need it, and which write trampolines
//! without asking.
//!
//! - `patterns.rs`: the machine code by which compilers write trampolines;
//! - `file.rs`: one file, or the members of one archive: what it asks for and what its code does;
//! - `verdict.rs`: what follows from both, and what to do about it;
//! - `report.rs`: for people and for programs;
//! - `process.rs`: a running process;
//! - `clear.rs`: a copy of a file that does not ask any more.

mod clear;
mod file;
mod patterns;
mod process;
mod report;
mod verdict;

use file::Outcome;
use report::Report;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What the command line of `audit` said.
#[derive(Default)]
struct Wanted {
    paths: Vec<PathBuf>,
    process: Option<u32>,
    json: bool,
    clear: bool,
}

/// Why an audit did not run.
pub const USAGE: &str = "audit takes files, directories and archives, or --pid N; with --json for programs to read, with \
     --clear to write FILE.cleared, which does not ask for an executable stack, for each FILE that asks and does not need it";

/// Runs it. The result is the exit status: 0 if nothing was found, 1 if something was, 2 if a path that was named
/// cannot be read.
///
/// # Errors
/// A sentence about the command line.
pub fn run(arguments: &[OsString]) -> Result<u8, String> {
    let wanted = parse(arguments)?;
    let mut report = Report::new(wanted.json);
    if let Some(pid) = wanted.process {
        process::audit(pid, &mut report)?;
    }
    for path in &wanted.paths {
        audit_path(path, wanted.clear, &mut report);
    }
    report.finish()
}

fn parse(arguments: &[OsString]) -> Result<Wanted, String> {
    let mut wanted = Wanted::default();
    let mut rest = arguments.iter();
    let mut only_paths = false;
    while let Some(argument) = rest.next() {
        match argument.to_str() {
            Some("--") if !only_paths => only_paths = true,
            Some("--json") if !only_paths => wanted.json = true,
            Some("--clear") if !only_paths => wanted.clear = true,
            Some("--pid") if !only_paths => {
                let pid = rest.next().and_then(|pid| pid.to_str()?.parse().ok());
                wanted.process = Some(pid.ok_or("--pid takes the number of a process")?);
            }
            Some(option) if option.starts_with('-') && !only_paths => {
                return Err(format!("what is \"{option}\"? {USAGE}"));
            }
            _ => wanted.paths.push(PathBuf::from(argument)),
        }
    }
    if wanted.paths.is_empty() && wanted.process.is_none() {
        return Err(USAGE.to_owned());
    }
    Ok(wanted)
}

/// A file that was named, or all regular files below a directory. Links below a directory are not followed: what they
/// lead to is met where it lies, or is not part of the tree.
fn audit_path(path: &Path, clear: bool, report: &mut Report) {
    match std::fs::metadata(path) {
        Err(error) => report.unreadable(path, &error.to_string()),
        Ok(metadata) if metadata.is_dir() => {
            for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
                match entry {
                    Ok(entry) if entry.file_type().is_file() => {
                        audit_file(entry.path(), false, clear, report)
                    }
                    Ok(_) => {}
                    Err(error) => report.unreadable(error.path().unwrap_or(path), &error.to_string()),
                }
            }
        }
        Ok(metadata) if !metadata.is_file() => report.unreadable(path, "neither a file nor a directory"),
        Ok(_) => audit_file(path, true, clear, report),
    }
}

/// `named`: whether the user asked for just this file, and so expects a word about it whatever it is.
fn audit_file(path: &Path, named: bool, clear: bool, report: &mut Report) {
    match file::audit(path) {
        Outcome::Unreadable(why) => report.unreadable(path, &why),
        Outcome::NotCode(what) if named => report.unreadable(path, what),
        Outcome::NotCode(_) => report.passed(),
        Outcome::Files(files) => {
            for file in &files {
                let verdict = report.file(file);
                if clear && verdict.may_be_cleared() {
                    report.cleared(path, clear::copy(path, &cleared_name(path)));
                }
            }
        }
    }
}

fn cleared_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or(OsStr::new("file")).to_owned();
    name.push(".cleared");
    path.with_file_name(name)
}
