//! Audit of a running process, covering its mappings and the files from which its code was mapped.

mod mapping;
mod stacks;

use super::contents;
use super::files::wants::Wants;
use super::report::{Details, Report, tags};
use crate::image::maps::with_line_breaks;
use crate::shown::shown;
use mapping::{Mapping, mapping};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Maximum number of mappings to read. The limit keeps a process from exhausting this tool's memory.
const MOST: usize = 1 << 20;

/// Audits a process and each file from which it has mapped code.
///
/// # Errors
/// Returns an error message if the process cannot be read.
pub fn audit(pid: u32, wants: &Wants, report: &mut Report) -> Result<(), String> {
    let maps = std::fs::read(format!("/proc/{pid}/maps")).map_err(|error| error.to_string())?;
    let mappings: Vec<Mapping> = maps.split(|&byte| byte == b'\n').filter_map(mapping).take(MOST).collect();
    let files = files(pid, &mappings);
    if files.is_empty() {
        return Err("no code is mapped from a file: the process has exited, or is a kernel thread".into());
    }
    let process = format!("process {pid}");
    let mut stack = false;
    for mapping in mappings.iter().filter(|it| it.writable && it.executable) {
        let range = format!("{:x}-{:x}", mapping.start, mapping.end);
        let name = String::from_utf8_lossy(&mapping.path).into_owned();
        let what = Details::Mapping { start: mapping.start, end: mapping.end, path: name };
        if mapping.path == b"[stack]" {
            stack = true;
            let text = "the main thread's stack is executable";
            report.finding(&process, &tags::PROCESS_STACK, text, what);
        } else {
            let of = match mapping.path.as_slice() {
                [] => String::new(),
                path => format!(" of {}", shown(path)),
            };
            let text = format!("the mapping {range}{of} is writable and executable");
            report.finding(&process, &tags::PROCESS_WRITABLE_CODE, &text, what);
        }
    }
    if !stack {
        report.remark("the main thread's stack is not executable");
    }
    stacks::audit(pid, &mappings, report);
    for path in files {
        super::report_on(&path, &contents::audit(&path, wants), &[], false, super::Clear::No, report);
    }
    Ok(())
}

/// Returns a path in `/proc/PID` for each file from which a process has mapped code. Such paths work even if the
/// process has another root directory.
fn files(pid: u32, mappings: &[Mapping]) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    for mapping in mappings.iter().filter(|it| it.executable && it.path.starts_with(b"/")) {
        let path = &mapping.path;
        if path.ends_with(b" (deleted)") {
            // A deleted file cannot be opened by its path, but it can still be opened through the kernel's links to it.
            let program = PathBuf::from(format!("/proc/{pid}/exe"));
            let is_program = std::fs::read_link(&program).is_ok_and(|it| it.as_os_str().as_bytes() == path);
            let mapped = format!("/proc/{pid}/map_files/{:x}-{:x}", mapping.start, mapping.end);
            files.insert(if is_program { program } else { mapped.into() });
            continue;
        }
        let root = PathBuf::from(format!("/proc/{pid}/root"));
        let within = |path: &[u8]| root.join(OsStr::from_bytes(path.strip_prefix(b"/").unwrap_or(path)));
        let file = within(path);
        let other = within(&with_line_breaks(path));
        let missing = file.symlink_metadata().is_err() && other.symlink_metadata().is_ok();
        files.insert(if missing { other } else { file });
    }
    files
}
