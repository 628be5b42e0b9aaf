//! Placeholder for `--pid` on Windows: the tool reads processes only through Linux's `/proc`.

use super::files::wants::Wants;
use super::report::Report;

/// Returns an error saying that `--pid` is not available.
pub fn audit(_: u32, _: &Wants, _: &mut Report) -> Result<(), String> {
    Err("--pid is not available on Windows: processes are read through Linux's /proc".into())
}
