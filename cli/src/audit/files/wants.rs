//! The files to examine, and how much of each to read.

use super::machine;
use crate::audit::wildcard;
use object::Architecture;

/// The user's choices: which files to examine, how much of each to read, and which files to report.
#[derive(Clone, Default)]
pub struct Wants {
    /// Whether only headers are read.
    pub quick: bool,
    /// Whether all files are reported, including the compilers and names of files without findings.
    pub details: bool,
    /// Whether to report a file named by the user, with its compilers and names, even if it has no findings. The
    /// members of such a file are still reported only if they have findings.
    pub named: bool,
    /// Whether the hardening of all ELF files is reported.
    pub hardening: bool,
    /// Names of the selected processors, or empty to select all.
    pub machines: Vec<&'static str>,
    /// Name patterns of files not to examine.
    pub excluded: Vec<Vec<u8>>,
}

impl Wants {
    /// Returns whether files without findings are reported.
    pub fn lists_all(&self) -> bool {
        self.details || self.hardening
    }

    pub fn takes(&self, machine: Architecture) -> bool {
        self.machines.is_empty() || self.machines.contains(&machine::name(machine))
    }

    pub fn excludes(&self, name: &[u8]) -> bool {
        self.excluded.iter().any(|pattern| wildcard::matches(pattern, name))
    }
}
