//! Results for a file on disk and the files in it.

use crate::audit::files::facts::{Audited, Facts};
use crate::audit::files::location::Location;
use crate::audit::files::machine::Outside;
use crate::audit::files::wants::Wants;
use crate::audit::verdict::{self, Verdict};

/// Maximum number of parts to list as unreadable, and as skipped.
const MOST_NAMED: usize = 64;
/// Maximum number of findings in a package or archive, so that a hostile package cannot exhaust memory. Each location
/// where code writes a trampoline adds one finding.
const MOST_FINDINGS: usize = 100_000;

/// Results for a file on disk.
#[derive(Default)]
pub struct Found {
    /// Files with something to report, or all files if details of every file are requested.
    pub files: Vec<Audited>,
    /// Number of files, including those in packages. An archive of object files is counted as one file.
    pub looked_at: usize,
    /// Number of files without machine code.
    pub no_machine_code: usize,
    /// Number of firmware files.
    pub firmware: usize,
    /// Files and members that could not be read, each with the reason.
    pub broken: Vec<(Location, String)>,
    /// Number of unreadable files and members that are not listed in `broken`.
    pub more_broken: usize,
    /// Files and members that were not examined, each with the reason.
    pub skipped: Vec<(Location, &'static str)>,
    /// Number of unexamined files and members that are not listed in `skipped`.
    pub more_skipped: usize,
    /// If the file has no code, a description of it.
    pub no_code: Option<&'static str>,
    /// Number of files without findings that are missing from `files` although the user requested all files.
    pub unlisted: usize,
    /// The number of findings in `files`, counted as for [`MOST_FINDINGS`].
    pub findings: usize,
}

impl Found {
    pub fn broken(&mut self, location: &Location, why: String) {
        if self.broken.len() < MOST_NAMED {
            self.broken.push((location.clone(), why));
        } else {
            self.more_broken += 1;
        }
    }

    pub fn skip(&mut self, location: &Location, why: &'static str) {
        if self.skipped.len() < MOST_NAMED {
            self.skipped.push((location.clone(), why));
        } else {
            self.more_skipped += 1;
        }
    }

    /// Adds a file that has something to report, or that the user wants reported even without findings. Always counts
    /// firmware and files without machine code.
    pub fn add(&mut self, location: Location, facts: Facts, wants: &Wants) {
        match facts.outside {
            Some(Outside::NoMachineCode) => self.no_machine_code += 1,
            Some(Outside::Firmware) => self.firmware += 1,
            None => {}
        }
        let verdict = Verdict::of(&facts);
        let is_listed =
            verdict::is_finding(verdict, &facts) || verdict == Verdict::Unknown && facts.outside.is_none();
        if !is_listed && !wants.details && wants.hardening && !location.is_file() {
            // Such files have a separate limit, so that --hardening does not change the findings.
            if self.files.len() < MOST_FINDINGS {
                self.files.push(Audited { location, facts });
            } else {
                self.unlisted += 1;
            }
        } else if is_listed || wants.lists_all() || wants.named && location.is_file() {
            self.findings += 1 + facts.writes.len();
            if self.findings > MOST_FINDINGS && !location.is_file() {
                self.broken(
                    &location,
                    "its findings are not listed, because the file that contains it has more than 100,000 findings"
                        .into(),
                );
            } else {
                self.files.push(Audited { location, facts });
            }
        }
    }
}
