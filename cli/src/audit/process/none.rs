//! Windows: processes cannot be read.

use super::report::Report;

/// Returns an error that says so.
pub fn audit(_: u32, _: &mut Report) -> Result<(), String> {
    Err("--pid is not available on Windows: processes are read through Linux's /proc".into())
}
