//! Replacement for the audit of a process on Windows, where processes cannot be read.

use super::files::wants::Wants;
use super::report::Report;

/// Returns an error that states that processes cannot be read.
pub fn audit(_: u32, _: &Wants, _: &mut Report) -> Result<(), String> {
    Err("--pid is not available on Windows: processes are read through Linux's /proc".into())
}
