//! `statictramp audit`: which files ask for an executable stack, which of them need it, and which write trampolines
//! without asking.
//!
//! - `files/`: one file, or the members of one archive, and the facts that are found there; `input.rs`: no more of it is read than
//!   its length warrants;
//! - `code/`: the machine code by which compilers write trampolines; functions, source files and compilers;
//! - `table/`: this library's own table, decoded;
//! - `report/`: the verdict on the facts, the advice, and the report for people and for programs;
//! - `process/`: a running process, and trampolines on its stacks;
//! - `clear.rs`: a copy of a file that does not ask for an executable stack any more.

mod clear;
pub mod code;
mod files;
mod input;
#[cfg_attr(windows, path = "process/none.rs")]
mod process;
mod report;
mod table;

use clap::ArgMatches;
use files::file::{self, Outcome};
use files::system;
use report::{Report, Style};
use std::path::{Path, PathBuf};

/// What is done with a file that asks without need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clear {
    No,
    Copy,
    InPlace,
}

/// Runs the audit. The result is the exit status: 0 if nothing was found, 1 if something was, 2 if a path that was named
/// cannot be read.
///
/// # Errors
/// A sentence, if the report cannot be written.
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

/// A file that was named, or all regular files below a directory. Links below a directory are not followed: what they
/// lead to is met where it lies, or is not part of the tree.
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

/// `named`: whether the user asked for just this file, and so expects a word about it whatever it is.
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
