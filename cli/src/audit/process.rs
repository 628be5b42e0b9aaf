//! A running process: its rights, and the files that its code came from.

use super::report::Report;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Looks at a process and at each file of which it has code.
///
/// # Errors
/// A sentence, if it cannot be looked at.
pub fn audit(pid: u32, report: &mut Report) -> Result<(), String> {
    let maps =
        std::fs::read(format!("/proc/{pid}/maps")).map_err(|error| format!("process {pid}: {error}"))?;
    let mut files = BTreeSet::new();
    let mut stack = "RW";
    for line in maps.split(|&byte| byte == b'\n') {
        let mut words = line.splitn(6, |&byte| byte == b' ');
        let (Some(range), Some(rights)) = (words.next(), words.next()) else { continue };
        let path = words.nth(3).unwrap_or_default().trim_ascii_start();
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).escape_default().to_string();
        if rights.starts_with(b"rwx") {
            if path == b"[stack]" {
                stack = "RWE";
            } else {
                report.finding(&format!("{} is writable and executable {}", shown(range), shown(path)));
            }
        }
        if rights.get(2) == Some(&b'x') && path.starts_with(b"/") {
            use std::os::unix::ffi::OsStrExt;
            if path.ends_with(b" (deleted)") {
                // No path leads there any more, but the mapping does.
                let program = PathBuf::from(format!("/proc/{pid}/exe"));
                let is_program =
                    std::fs::read_link(&program).is_ok_and(|it| it.as_os_str().as_bytes() == path);
                let mapping = || format!("/proc/{pid}/map_files/{}", shown(range)).into();
                files.insert(if is_program { program } else { mapping() });
                continue;
            }
            // As the process sees it.
            let inside = std::ffi::OsStr::from_bytes(path.strip_prefix(b"/").unwrap_or(path));
            files.insert(PathBuf::from(format!("/proc/{pid}/root")).join(inside));
        }
    }
    if files.is_empty() {
        return Err(format!("process {pid} has no code of a file: it has ended, or belongs to the kernel"));
    }
    match stack {
        "RWE" => report.finding("the main thread's stack is executable"),
        _ => report.remark("the main thread's stack is not executable"),
    }
    for path in files {
        super::audit_file(&path, false, false, report);
    }
    Ok(())
}
