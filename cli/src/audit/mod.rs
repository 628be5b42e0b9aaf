//! `statictramp audit`: finds files that request an executable stack, that need one, or that write trampolines without
//! requesting one.
//!
//! Each part imports only from the parts before it:
//!
//! - `system/`: opening files, and file attributes; `input.rs`: limits on the bytes read; `wildcard.rs`: name patterns;
//! - `code/`: compiler-generated machine code that writes trampolines, and the functions, source files and compilers
//!   that it comes from;
//! - `table/`: this library's own table, decoded;
//! - `files/`: facts about one file; `verdict.rs`: the verdict on a file;
//! - `packages/`: the members of packages; `contents/`: kinds of files, and the files in archives and packages;
//! - `tree.rs`: directory traversal; `walk.rs`: multithreaded examination of the files;
//! - `objects.rs`: objects that cause a program to request an executable stack;
//! - `clear/`: copies of files that do not request an executable stack;
//! - `report/`: the remedies, and the output, as text or in machine-readable formats;
//! - `process/`: a running process, and trampolines on its stacks.

mod clear;
pub mod code;
pub mod contents;
pub mod files;
mod input;
mod objects;
mod packages;
#[cfg_attr(windows, path = "process/none.rs")]
mod process;
pub mod report;
#[cfg_attr(not(windows), path = "system/unix.rs")]
#[cfg_attr(windows, path = "system/windows.rs")]
mod system;
mod table;
mod tree;
pub mod verdict;
mod walk;
mod wildcard;

#[cfg_attr(windows, allow(unused_imports))] // used by `run --emulate`
pub use clear::deny_stack;

use crate::out::{Failure, reader_exited};
use clap::ArgMatches;
use contents::Found;
use files::machine;
use files::wants::Wants;
use objects::Culprit;
use report::exceptions::Exceptions;
use report::{Format, Report, Style};
use std::ffi::OsString;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// How `--clear` treats a file that requests an executable stack but does not need one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clear {
    No,
    Copy,
    InPlace,
}

/// Runs the audit. Returns the exit status: 2 if a file or a part of a file cannot be read, otherwise 1 if there are
/// findings, otherwise 0.
///
/// # Errors
/// Returns an error message if the options are invalid, or the report cannot be written.
pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    if matches.get_flag("schema") {
        return match stdout().lock().write_all(report::schema().as_bytes()) {
            Err(why) if !reader_exited(&why) => {
                Err(Failure::Unusable(format!("cannot write to standard output: {why}")))
            }
            _ => Ok(0),
        };
    }
    audit(matches).map_err(Failure::Unusable)
}

fn audit(matches: &ArgMatches) -> Result<u8, String> {
    let clear = match (matches.get_flag("clear"), matches.get_flag("in-place")) {
        (false, _) => Clear::No,
        (true, false) => Clear::Copy,
        (true, true) => Clear::InPlace,
    };
    let format = match matches.get_one::<String>("format").map(String::as_str) {
        _ if matches.get_flag("json") => Format::Json,
        Some("json") => Format::Json,
        Some("sarif") => Format::Sarif,
        _ => Format::Text,
    };
    let all = matches.get_flag("all");
    let exceptions =
        matches.get_one::<PathBuf>("exceptions").map(|path| Exceptions::read(path)).transpose()?;
    let wants = wants(matches, all)?;
    if wants.hardening && format == Format::Sarif {
        return Err("--hardening: SARIF output contains only findings; use text or JSON".into());
    }
    let objects: Vec<PathBuf> = matches.get_many("objects").into_iter().flatten().cloned().collect();
    let culprits = objects::culprits(&objects)?;
    let strict = matches.get_flag("strict");
    let mut report = Report::new(Style {
        format,
        all,
        strict,
        hardening: wants.hardening,
        clear: clear != Clear::No,
        exceptions: exceptions.unwrap_or_default(),
    });
    if let Some(&pid) = matches.get_one::<u32>("pid") {
        let process = format!("process {pid}");
        process::audit(pid, &wants, &mut report)
            .unwrap_or_else(|why| report.unreadable(Path::new(&process), &why));
    }
    let paths: Vec<PathBuf> = matches.get_many("path").into_iter().flatten().cloned().collect();
    walk::files(&paths, &wants, matches.get_flag("one-file-system"), |path, item| {
        match item {
            walk::Item::Skipped(why) => report.skipped_path(path, why, paths.iter().any(|it| it == path)),
            walk::Item::Unreadable(why) => report.unreadable(path, &why),
            walk::Item::Busy => report.progress.busy(path),
            walk::Item::Found { found, named } => {
                report.progress.at(path);
                report_on(path, &found, &culprits, named, clear, &mut report);
            }
        }
        !report.is_over()
    });
    // An invalid path must not look like a directory without findings.
    let has_nothing = report.totals.looked_at + report.totals.unreadable + report.totals.skipped == 0;
    if has_nothing && wants.excluded.is_empty() {
        for path in &paths {
            report.unreadable(path, "no file was examined");
        }
    }
    report.finish()
}

/// Whether a file requests an executable stack, and whether it needs one.
#[cfg_attr(windows, allow(dead_code))] // used by `run --emulate`
pub struct StackRequest {
    /// Whether the file requests an executable stack, or has no PT_GNU_STACK, in which case glibc makes thread stacks
    /// executable.
    pub made: bool,
    /// Whether the file is an ELF file that requests an executable stack without needing one.
    pub needless: bool,
}

/// Determines whether a linked file requests an executable stack, and whether it needs one. Returns `None` if the file
/// cannot be read.
#[cfg_attr(windows, allow(dead_code))] // used by `run --emulate`
pub fn stack_request(path: &Path) -> Option<StackRequest> {
    let found = contents::audit(path, &Wants { details: true, ..Wants::default() });
    let facts = &found.files.iter().find(|it| it.location.is_file())?.facts;
    Some(StackRequest {
        made: facts.linked && facts.asks != files::facts::Asks::No,
        needless: verdict::Verdict::of(facts).may_be_cleared(facts),
    })
}

fn wants(matches: &ArgMatches, all: bool) -> Result<Wants, String> {
    let mut machines = Vec::new();
    for word in matches.get_many::<String>("machine").into_iter().flatten() {
        let shown = crate::shown::shown(word.as_bytes());
        machines.push(machine::named(word).ok_or(format!("--machine {shown}: unknown processor"))?);
    }
    let excluded = matches.get_many::<OsString>("exclude").into_iter().flatten();
    let excluded = excluded.map(|it| it.as_encoded_bytes().to_vec()).collect();
    let (quick, hardening) = (matches.get_flag("quick"), matches.get_flag("hardening"));
    Ok(Wants { quick, details: all, named: false, hardening, machines, excluded })
}

/// Reports a file, and writes a copy without the flag if requested. If `named` is true (the user named this file), the
/// text output mentions the file even if it has no findings.
fn report_on(
    path: &Path,
    found: &Found,
    culprits: &[Culprit],
    named: bool,
    clear: Clear,
    report: &mut Report,
) {
    let wanted = report.found(path, found, culprits, named);
    if clear == Clear::No {
        return;
    }
    report.not_cleared_files();
    if wanted {
        report.cleared(path, clear::cleared(path, found, clear == Clear::InPlace));
    }
}
