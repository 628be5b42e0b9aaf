//! `statictramp audit`: finds files that request an executable stack, that need it, or that write trampolines without
//! requesting it.
//!
//! - `files/`: facts about one file, or about the members of one archive; `input.rs`: limits on the bytes that are
//!   read;
//! - `code/`: machine code that compilers generate to write trampolines; functions, source files and compilers;
//! - `table/`: this library's own table, decoded;
//! - `report/`: the verdict on the facts, the remedies, and the output for people and for programs;
//! - `process/`: a running process, and trampolines on its stacks;
//! - `clear.rs`: a copy of a file that no longer requests an executable stack.

mod clear;
pub mod code;
mod files;
mod input;
#[cfg_attr(windows, path = "process/none.rs")]
mod process;
mod report;
mod table;

pub use clear::clear_flag;

use clap::ArgMatches;
use files::file::{self, Outcome};
use files::system;
use report::{Report, Style};
use std::path::{Path, PathBuf};

/// Treatment of a file that requests an executable stack without need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clear {
    No,
    Copy,
    InPlace,
}

/// Runs the audit. Returns the exit status: 0 if nothing was found, 1 if something was, 2 if a named path cannot be
/// read.
///
/// # Errors
/// An error message if the report cannot be written.
pub fn run(matches: &ArgMatches) -> Result<u8, String> {
    let clear = match (matches.get_flag("clear"), matches.get_flag("in-place")) {
        (false, _) => Clear::No,
        (true, false) => Clear::Copy,
        (true, true) => Clear::InPlace,
    };
    let mut report = Report::new(Style { json: matches.get_flag("json"), all: matches.get_flag("all") });
    if let Some(&pid) = matches.get_one::<u32>("pid") {
        let process = format!("process {pid}");
        process::audit(pid, &mut report).unwrap_or_else(|why| report.unreadable(Path::new(&process), &why));
    }
    for path in matches.get_many::<PathBuf>("path").into_iter().flatten() {
        audit_path(path, clear, &mut report);
    }
    report.finish()
}

/// The request of a file for an executable stack.
#[cfg_attr(windows, allow(dead_code))] // used by `run --emulate`
pub struct StackRequest {
    /// Whether the file makes it.
    pub made: bool,
    /// Whether no code in the file needs it.
    pub needless: bool,
}

/// The request of a linked file; `None` if the file cannot be read.
#[cfg_attr(windows, allow(dead_code))] // used by `run --emulate`
pub fn stack_request(path: &Path) -> Option<StackRequest> {
    let Outcome::Files(files, _) = file::audit(path) else { return None };
    let facts = &files.first()?.facts;
    Some(StackRequest {
        made: facts.asks == files::facts::Asks::Yes,
        needless: report::verdict::Verdict::of(facts).may_be_cleared(facts),
    })
}

/// Audits a named file, or all regular files below a directory. Links below a directory are not followed: their targets
/// are elsewhere in the tree, or outside it.
fn audit_path(path: &Path, clear: Clear, report: &mut Report) {
    match std::fs::metadata(path) {
        Err(error) => report.unreadable(path, &error.to_string()),
        Ok(metadata) if metadata.is_dir() => {
            let mut way = system::Way::start();
            let entries = walkdir::WalkDir::new(path).sort_by_file_name().into_iter().filter_entry(|entry| {
                !entry.file_type().is_dir() || way.leads_on(entry.path(), entry.depth())
            });
            for entry in entries {
                match entry {
                    _ if report.is_over() => return,
                    Ok(entry) if entry.file_type().is_file() => {
                        report.progress.at(entry.path());
                        audit_file(entry.path(), false, clear, report);
                    }
                    Ok(_) => {}
                    Err(error) => {
                        let why = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                        report.unreadable(error.path().unwrap_or(path), &why);
                    }
                }
            }
        }
        Ok(metadata) if !metadata.is_file() => report.unreadable(path, "neither a file nor a directory"),
        Ok(_) => audit_file(path, true, clear, report),
    }
}

/// `named`: the user named this file, and so always gets a line about it.
fn audit_file(path: &Path, named: bool, clear: Clear, report: &mut Report) {
    match file::audit(path) {
        Outcome::Unreadable(why) => report.unreadable(path, &why),
        Outcome::NotCode(what) if named => report.unreadable(path, what),
        Outcome::NotCode(_) => report.passed(),
        Outcome::Files(files, broken) => {
            let wanted = report.files(&files, named);
            if wanted && clear != Clear::No {
                report.cleared(path, clear::cleared(path, clear == Clear::InPlace));
            }
            if let Some(why) = broken {
                report.unreadable(path, &why);
            }
        }
    }
}
