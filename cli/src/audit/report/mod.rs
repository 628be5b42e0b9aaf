//! The report, as text or in machine-readable formats.
//!
//! - `tags.rs`: the names of findings; `exceptions.rs`: accepted findings; `remedies.rs`: the remedies;
//! - `text.rs`, `hardening.rs`, `json.rs`, `sarif.rs`: the output; `document.rs`: the types of the JSON output, and its schema;
//!   `progress.rs`: the progress line on a terminal.

mod document;
pub mod exceptions;
mod hardening;
mod json;
pub mod progress;
pub mod remedies;
mod sarif;
pub mod tags;
mod text;

use crate::audit::clear::{Cleared, Not};
use crate::audit::contents::Found;
use crate::audit::files::facts::{Audited, Unjudged};
use crate::audit::files::location::{Location, STANDARD_INPUT};
use crate::audit::objects::Culprit;
use crate::audit::verdict::{self, Verdict};
use crate::out::{reader_exited, takes_sequences};
use crate::shown::shown;
use exceptions::Exceptions;
use progress::Progress;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write, stdout};
use std::path::Path;
use tags::Tag;

pub use document::{Details, schema};

/// Maximum number of code locations, compilers, objects or archive members that the text output lists for one file.
const LISTED: usize = 20;

/// Format of the output.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Text,
    Json,
    Sarif,
}

/// Output options.
#[derive(Default)]
pub struct Style {
    pub format: Format,
    /// Whether files without findings are also printed.
    pub all: bool,
    /// Whether an unexamined input is an error.
    pub strict: bool,
    /// Whether to print one line per file, listing its hardening properties.
    pub hardening: bool,
    /// Whether to clear the flags of files.
    pub clear: bool,
    pub exceptions: Exceptions,
}

/// Numbers of files.
#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
pub struct Totals {
    /// Number of files, including those in packages. An archive of objects is counted as one file.
    pub looked_at: usize,
    /// Number of files with unaccepted findings, plus the number of unaccepted findings in processes.
    #[serde(rename = "with_findings")]
    pub found: usize,
    pub unreadable: usize,
    /// Number of inputs that were not examined.
    pub skipped: usize,
    /// Number of files without machine code for a CPU; they have no findings.
    pub no_machine_code: usize,
    /// Number of files for a board, a boot loader or the kernel; they have no findings.
    pub firmware: usize,
    /// Number of files without an executable-stack request for processors without known patterns; they have no
    /// findings.
    pub unknown: usize,
    /// Number of files whose tags are all accepted, plus the number of accepted findings in processes.
    #[serde(rename = "accepted")]
    pub excepted: usize,
}

/// An accepted finding, and the reason why it is accepted.
pub struct Excepted {
    pub tag: &'static Tag,
    pub reason: String,
}

/// A file with its verdict, for output.
pub struct Judged<'f> {
    pub file: &'f Audited,
    pub name: Vec<u8>,
    pub verdict: Verdict,
    /// The unaccepted findings.
    pub tags: Vec<&'static Tag>,
    pub excepted: Vec<Excepted>,
    pub culprits: Vec<&'f Culprit>,
    pub remedies: Vec<String>,
}

/// The report so far. Files without findings are usually only counted, because a directory tree may contain many of
/// them.
pub struct Report {
    style: Style,
    colour: bool,
    pub totals: Totals,
    /// The number of unexamined files and members for each reason.
    skipped: BTreeMap<&'static str, usize>,
    /// With `--clear`: the files of the last input that were not cleared, with the reasons.
    not_cleared: Vec<(Vec<u8>, &'static str)>,
    /// The number of files in the last input whose only finding is the flag.
    clearable: usize,
    /// With `--clear`: the sum of `clearable` over all cleared inputs.
    cleared: usize,
    json: json::Lists,
    sarif: sarif::Run,
    pub progress: Progress,
    /// The error from a failed write to standard output, after which nothing more is written.
    broken: Option<std::io::Error>,
}

impl Report {
    pub fn new(style: Style) -> Self {
        let wanted = std::env::var_os("NO_COLOR").unwrap_or_default().is_empty() && takes_sequences();
        let colour = style.format == Format::Text && stdout().is_terminal() && wanted;
        Report {
            style,
            colour,
            totals: Totals::default(),
            skipped: BTreeMap::new(),
            not_cleared: Vec::new(),
            clearable: 0,
            cleared: 0,
            json: json::Lists::default(),
            sarif: sarif::Run::default(),
            progress: Progress::new(),
            broken: None,
        }
    }

    /// Returns whether a write to standard output has failed, usually because the program that reads the output has
    /// exited.
    pub fn is_over(&self) -> bool {
        self.broken.is_some()
    }

    fn print(&mut self, text: &str) {
        self.progress.clear();
        if self.broken.is_none() {
            self.broken = stdout().lock().write_all(text.as_bytes()).err();
        }
    }

    fn line(&mut self, text: &str) {
        if self.style.format == Format::Text {
            self.print(&format!("{text}\n"));
        }
    }

    /// Reports an input that could not be read.
    pub fn unreadable(&mut self, path: &Path, why: &str) {
        self.unreadable_location(path.as_os_str().as_encoded_bytes(), why);
    }

    fn unreadable_location(&mut self, name: &[u8], why: &str) {
        self.totals.unreadable += 1;
        match self.style.format {
            Format::Text => {
                self.progress.clear();
                crate::out::complain(format_args!("{}: {why}", shown(name)));
            }
            Format::Json => self.json.error(name, why),
            Format::Sarif => self.sarif.notify(name, why, "error"),
        }
    }

    /// Counts and reports a path that was not examined.
    pub fn skipped_path(&mut self, path: &Path, why: &'static str, named: bool) {
        self.skipped(&Location::of(path), why, named);
    }

    /// Counts and reports a file or member that was not examined. The text output mentions it only if the user named
    /// it, requested all files, or asked for unexamined files to be errors.
    fn skipped(&mut self, location: &Location, why: &'static str, named: bool) {
        self.totals.skipped += 1;
        *self.skipped.entry(why).or_default() += 1;
        let name = location.name();
        match self.style.format {
            Format::Text if named || self.style.all || self.style.strict => {
                self.line(&format!("{}: not examined: {why}", shown(&name)));
            }
            Format::Text => {}
            Format::Json => self.json.skipped(&name, why),
            Format::Sarif => {
                let level = if self.style.strict { "error" } else { "warning" };
                self.sarif.notify(&name, why, level);
            }
        }
    }

    /// Returns the number of inputs with errors.
    fn errors(&self) -> usize {
        self.totals.unreadable + if self.style.strict { self.totals.skipped } else { 0 }
    }

    /// Reports a finding in a process.
    #[cfg_attr(windows, allow(dead_code))] // unused without process auditing
    pub fn finding(&mut self, process: &str, tag: &'static Tag, text: &str, details: Details) {
        let reason = self.style.exceptions.accepts(process.as_bytes(), tag).map(str::to_owned);
        match &reason {
            Some(_) => self.totals.excepted += 1,
            None => self.totals.found += 1,
        }
        match self.style.format {
            Format::Text if reason.is_some() && !self.style.all => {}
            Format::Text => self.line(&format!("{text} [{}]", tag.name)),
            Format::Json => self.json.process(process, tag, text, details, reason.as_deref()),
            Format::Sarif => {
                let text = self.sarif.result(tag, process.as_bytes(), text, reason.as_deref());
                self.print(&text);
            }
        }
    }

    /// Prints a remark that is not a finding. Remarks appear only in text output.
    #[cfg_attr(windows, allow(dead_code))] // as above
    pub fn remark(&mut self, text: &str) {
        self.line(text);
    }

    /// Reports the results for a file on disk. If `named` is true (the user named this path), the text output mentions
    /// the file even if it has no findings. Returns whether the file, or a member of an archive or a package, requests
    /// an executable stack without needing one.
    pub fn found(&mut self, path: &Path, found: &Found, culprits: &[Culprit], named: bool) -> bool {
        self.totals.looked_at += found.looked_at;
        self.totals.no_machine_code += found.no_machine_code;
        self.totals.firmware += found.firmware;
        self.totals.skipped += found.more_skipped;
        let mut clear = false;
        self.clearable = 0;
        // In text output, archive members that lack the note or whose code cannot be analysed are listed together.
        let mut alike: Vec<(Verdict, Vec<&Audited>)> = Vec::new();
        for file in &found.files {
            let verdict = Verdict::of(&file.facts);
            clear |= verdict.may_be_cleared(&file.facts);
            let plain =
                matches!(verdict, Verdict::SaysNothing | Verdict::Unknown) && !verdict::has_more(&file.facts);
            let together = (plain && file.facts.unjudged != Some(Unjudged::Machine))
                && file.location.member.is_some()
                && !self.style.all
                && !self.style.hardening
                && self.style.format == Format::Text
                && self.style.exceptions.0.is_empty();
            let is_same = |other: &(Verdict, Vec<&Audited>)| {
                other.0 == verdict
                    && other.1.first().is_some_and(|it| it.location.outer() == file.location.outer())
            };
            match alike.iter_mut().find(|it| is_same(it)) {
                Some((_, members)) if together => members.push(file),
                _ if together => alike.push((verdict, vec![file])),
                _ => self.file(file, verdict, culprits, named && file.location.is_file(), &[]),
            }
        }
        for (verdict, members) in alike {
            if let Some((first, more)) = members.split_first() {
                self.file(first, verdict, culprits, named, more);
            }
        }
        for (location, why) in &found.skipped {
            self.skipped(location, why, named);
        }
        if found.unlisted > 0 {
            let name = path.as_os_str().as_encoded_bytes();
            let why = "it contains too many files; not all files without findings are listed";
            self.line(&format!("{}: {why}", shown(name)));
            self.json.skipped(name, why);
        }
        for (location, why) in &found.broken {
            self.unreadable_location(&location.name(), why);
        }
        self.totals.unreadable += found.more_broken;
        match found.no_code {
            Some(what) if named => self.unreadable(path, what),
            None if named
                && found.files.is_empty()
                && found.broken.is_empty()
                && found.skipped.is_empty() =>
            {
                let name = shown(path.as_os_str().as_encoded_bytes());
                self.line(&format!("{name}: nothing in it requests or needs an executable stack"));
            }
            _ => {}
        }
        clear
    }

    /// Reports a file and its verdict, together with members of the same archive that have the same verdict.
    fn file(
        &mut self,
        file: &Audited,
        verdict: Verdict,
        culprits: &[Culprit],
        named: bool,
        alike: &[&Audited],
    ) {
        let name = file.location.name();
        let (mut tags, mut excepted) = (tags::of(verdict, &file.facts), Vec::new());
        tags.retain(|&tag| match self.style.exceptions.accepts(&name, tag) {
            Some(reason) => {
                excepted.push(Excepted { tag, reason: reason.to_owned() });
                false
            }
            None => true,
        });
        self.totals.found += usize::from(!tags.is_empty());
        if self.style.clear {
            if !verdict.may_be_cleared(&file.facts) && (!tags.is_empty() || named) {
                let names = [file].into_iter().chain(alike.iter().copied()).map(|it| it.location.name());
                let why = verdict.why_not_cleared(&file.facts);
                self.not_cleared.extend(names.map(|name| (name, why)));
            }
            self.clearable += usize::from(tags == [&tags::STACK_ASKED_ONLY]);
        }
        let is_other = verdict == Verdict::Unknown && file.facts.unjudged == Some(Unjudged::Machine);
        self.totals.unknown += usize::from(is_other && file.facts.outside.is_none() && tags.is_empty());
        self.totals.excepted += usize::from(tags.is_empty() && !excepted.is_empty());
        let is_standard_input = file.location.file.as_os_str() == STANDARD_INPUT;
        let typed = remedies::typed_path(file.location.file.as_os_str().as_encoded_bytes());
        // The flag of a wheel's member is cleared in a copy of the wheel.
        let is_wheel = verdict == Verdict::AskedOnly
            && file.facts.linked
            && file.location.file.extension().is_some_and(|end| end == "whl");
        let is_named = (file.location.is_file() || is_wheel) && !is_standard_input;
        let remedies =
            remedies::lines(verdict, &file.facts, is_named.then_some(&typed), !culprits.is_empty());
        let culprits = culprits.iter().filter(|it| it.explains(&file.facts)).collect();
        let judged = Judged { file, name, verdict, tags, excepted, culprits, remedies };
        let lists_all = self.style.all || self.style.hardening;
        let is_listed = !judged.tags.is_empty() || lists_all || named || is_unknown(file, verdict);
        match self.style.format {
            Format::Text if self.style.hardening => self.line(&hardening::line(&judged)),
            Format::Text if is_listed => {
                let text = text::file(&judged, alike, self.colour);
                self.print(&text);
            }
            Format::Text => {}
            Format::Json if !judged.tags.is_empty() => {
                let text = self.json.finding(&judged);
                self.print(&text);
            }
            Format::Json => self.json.other(&judged, is_listed),
            Format::Sarif => {
                let text = self.sarif.file(&judged);
                self.print(&text);
            }
        }
    }

    /// Reports the files of the last input that were not cleared, with the reasons.
    pub fn not_cleared_files(&mut self) {
        for (name, why) in std::mem::take(&mut self.not_cleared) {
            self.not_cleared(&name, why);
        }
    }

    fn not_cleared(&mut self, name: &[u8], why: &str) {
        self.line(&format!("{}: not cleared: {why}", shown(name)));
        match self.style.format {
            Format::Text => {}
            Format::Json => self.json.not_cleared(name, why),
            Format::Sarif => self.sarif.notify(name, &format!("not cleared: {why}"), "note"),
        }
    }

    /// Reports that a copy was written, or the reason why it was not written.
    pub fn cleared(&mut self, path: &Path, outcome: Result<Cleared, Not>) {
        let name = path.as_os_str().as_encoded_bytes();
        match outcome {
            Ok(done) => {
                self.cleared += self.clearable;
                let members: Vec<String> = done.members.iter().map(|it| shown(it)).collect();
                let copy = done.path.as_os_str().as_encoded_bytes();
                let members = if members.is_empty() {
                    String::new()
                } else {
                    format!(" (cleared: {})", members.join(", "))
                };
                self.line(&format!("    written: {}{members}", shown(copy)));
                if done.unsigned {
                    self.line(
                        "    it has no signature, because the original's signature is for the old RECORD",
                    );
                }
                self.json.cleared(name, copy, &done.members);
            }
            Err(Not::Possible(why)) => self.not_cleared(name, why),
            Err(Not::Failed(why)) => self.unreadable(path, &format!("not cleared: {why}")),
        }
    }

    /// Ends the report and returns the exit status.
    pub fn finish(mut self) -> Result<u8, String> {
        let unused: Vec<String> = self
            .style
            .exceptions
            .unused()
            .map(|it| format!("{} {} (line {})", shown(it.pattern.as_bytes()), it.tag.name, it.line))
            .collect();
        match self.style.format {
            Format::Text => {
                self.print(&text::end(&self.totals, &self.skipped));
                for line in &unused {
                    self.progress.clear();
                    crate::out::complain(format_args!("unused exception: {line}"));
                }
            }
            Format::Json => {
                let text = self.json.end(&self.totals, &self.style.exceptions);
                self.print(&text);
            }
            Format::Sarif => {
                let text = self.sarif.end(self.errors(), &unused);
                self.print(&text);
            }
        }
        self.progress.clear();
        let errors = self.errors();
        match self.broken {
            // A pipe closed by its reader is not an error.
            Some(error) if !reader_exited(&error) => Err(format!("cannot write to standard output: {error}")),
            _ if errors > 0 => Ok(2),
            _ => Ok(u8::from(self.totals.found > self.cleared)),
        }
    }
}

/// Returns whether a file is listed because its code cannot be analysed, even if the user did not name the file. Files
/// for processors without known patterns are usually only counted.
fn is_unknown(file: &Audited, verdict: Verdict) -> bool {
    let facts = &file.facts;
    verdict == Verdict::Unknown
        && facts.outside.is_none()
        && facts.unjudged != Some(Unjudged::Machine)
        && !facts.has_default_flag()
}
