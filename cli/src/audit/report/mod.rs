//! The report, for people or for programs.

pub mod advice;
pub mod progress;
pub mod verdict;

use crate::audit::files::facts::{Audited, Facts, Format, Relro, WritableCode};
use crate::audit::table::State;
use crate::out::{is_gone, takes_sequences};
use crate::shown::shown;
use progress::Progress;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};
use verdict::Verdict;

/// Maximum number of places that are listed for one file; JSON output contains all of them.
const LISTED: usize = 20;

/// Output options.
#[derive(Clone, Copy, Default)]
pub struct Style {
    /// JSON output.
    pub json: bool,
    /// Print every file, not only those with findings.
    pub all: bool,
}

/// Totals of the report so far. Only numbers are kept, since a tree may be large.
pub struct Report {
    style: Style,
    colour: bool,
    looked_at: usize,
    found: usize,
    unreadable: usize,
    /// The number of JSON objects that have been printed.
    values: usize,
    pub progress: Progress,
    /// The error of the last write to standard output, if it failed.
    broken: Option<std::io::Error>,
}

impl Report {
    pub fn new(style: Style) -> Self {
        let wanted = std::env::var_os("NO_COLOR").unwrap_or_default().is_empty() && takes_sequences();
        let colour = !style.json && stdout().is_terminal() && wanted;
        Report {
            style,
            colour,
            looked_at: 0,
            found: 0,
            unreadable: 0,
            values: 0,
            progress: Progress::new(),
            broken: None,
        }
    }

    /// Whether the reader of the output has exited.
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
        if !self.style.json {
            self.print(&format!("{text}\n"));
        }
    }

    fn value(&mut self, value: &Value) {
        if self.style.json {
            let text = format!("{value:#}").replace('\n', "\n    ");
            let before = if self.values == 0 { "{\n  \"findings\": [" } else { "," };
            self.values += 1;
            self.print(&format!("{before}\n    {text}"));
        }
    }

    /// A name, escaped for a terminal. For JSON output it is not escaped, but invalid UTF-8 is replaced.
    fn name(&self, bytes: &[u8]) -> String {
        if self.style.json { String::from_utf8_lossy(bytes).into_owned() } else { shown(bytes) }
    }

    /// Counts a file that cannot contain trampolines.
    pub fn passed(&mut self) {
        self.looked_at += 1;
    }

    /// Reports an input that could not be read.
    pub fn unreadable(&mut self, path: &Path, why: &str) {
        self.unreadable += 1;
        let path = self.name(path.as_os_str().as_encoded_bytes());
        if self.style.json {
            self.value(&json!({ "path": path, "error": why }));
        } else {
            self.progress.clear();
            crate::out::complain(format_args!("{path}: {why}"));
        }
    }

    /// Reports a finding in a process; `kind` is its name in JSON output.
    #[cfg_attr(windows, allow(dead_code))] // where processes are not read
    pub fn finding(&mut self, kind: &str, text: &str, more: Value) {
        self.found += 1;
        self.line(text);
        self.value(&json!({ "finding": kind, "sentence": text, "details": more }));
    }

    /// Prints a remark that is not a finding.
    #[cfg_attr(windows, allow(dead_code))] // as above
    pub fn remark(&mut self, text: &str) {
        self.line(text);
    }

    /// Reports one path: a file, or the members of an archive. `named`: the user named this path, and always gets a
    /// line about it. Returns whether a file in it requests an executable stack without need.
    pub fn files(&mut self, files: &[Audited], named: bool) -> bool {
        self.looked_at += 1;
        let mut clear = false;
        // Archive members with the same verdict are listed together.
        let mut alike: Vec<(Verdict, Vec<&Audited>)> = Vec::new();
        for file in files {
            let verdict = Verdict::of(&file.facts);
            clear |= verdict.may_be_cleared(&file.facts);
            let plain =
                matches!(verdict, Verdict::SaysNothing | Verdict::Unknown) && !verdict::has_more(&file.facts);
            let together = plain && files.len() > 1 && !self.style.all;
            let same = if together { alike.iter_mut().find(|(other, _)| *other == verdict) } else { None };
            match same {
                Some((_, members)) => members.push(file),
                None if plain => alike.push((verdict, vec![file])),
                None => self.file(file, verdict, named && file.member.is_none(), &[]),
            }
        }
        for (verdict, members) in alike {
            if let Some((first, more)) = members.split_first() {
                self.file(first, verdict, named, more);
            }
        }
        let is_quiet = files.iter().all(|file| file.member.is_some() && !is_told(file));
        if let Some(file) = files.first().filter(|_| named && is_quiet) {
            let name = self.name(file.path.as_os_str().as_encoded_bytes());
            self.line(&format!("{name}: none of its {} members asks or needs", files.len()));
        }
        clear
    }

    /// Reports a file and its verdict, with members of the same archive to which the same sentence applies.
    fn file(&mut self, file: &Audited, verdict: Verdict, named: bool, alike: &[&Audited]) {
        let facts = &file.facts;
        let mut name = self.name(file.path.as_os_str().as_encoded_bytes());
        if let Some(member) = &file.member {
            let alike = if self.style.json { &[] } else { alike };
            let members = [member].into_iter().chain(alike.iter().filter_map(|file| file.member.as_ref()));
            let listed: Vec<String> = members.take(LISTED).map(|it| self.name(it.as_bytes())).collect();
            name += &format!("({})", listed.join(", "));
            if alike.len() >= LISTED {
                name += &format!(" and {} more", alike.len() + 1 - LISTED);
            }
        }
        self.found += usize::from(verdict::is_finding(verdict, facts));
        if is_told(file) || self.style.all || named {
            let typed = advice::typed(file.path.as_os_str().as_encoded_bytes());
            let advice = advice::lines(verdict, facts, file.member.is_none().then_some(&typed));
            if self.style.json {
                self.value(&value(&name, verdict, facts, &advice));
                // JSON output lists each member separately.
                for other in alike {
                    let path = self.name(other.path.as_os_str().as_encoded_bytes());
                    let member = self.name(other.member.as_deref().unwrap_or_default().as_bytes());
                    self.value(&value(&format!("{path}({member})"), verdict, &other.facts, &advice));
                }
            } else {
                self.describe(&name, verdict, facts, &advice);
            }
        }
    }

    fn describe(&mut self, name: &str, verdict: Verdict, facts: &Facts, advice: &[String]) {
        let (on, off) = match verdict {
            _ if !self.colour => ("", ""),
            Verdict::Needed | Verdict::NotAsked => ("\x1b[31m", "\x1b[0m"),
            Verdict::Clean => ("\x1b[32m", "\x1b[0m"),
            _ => ("\x1b[33m", "\x1b[0m"),
        };
        self.line(&format!("{name}: {on}{}{off}", verdict.sentence(facts)));
        let text = |text: &Option<std::rc::Rc<str>>, before: &str, after: &str| {
            text.as_deref().map_or(String::new(), |it| format!("{before}{}{after}", shown(it.as_bytes())))
        };
        for written in facts.writes.iter().take(LISTED) {
            let (function, source) = (text(&written.function, " in ", ""), text(&written.source, " (", ")"));
            self.line(&format!("    at {:#x}{function}{source}", written.address));
        }
        if facts.writes.len() > LISTED {
            self.line(&format!("    and {} more", facts.writes.len() - LISTED));
        }
        let compilers = compilers(facts);
        if !compilers.is_empty() {
            let compilers: Vec<String> = compilers.iter().map(|text| shown(text.as_bytes())).collect();
            self.line(&format!("    compiled by {}", compilers.join("; ")));
        }
        for place in facts.writable_code.iter().take(LISTED) {
            self.line(&format!("    {}", writable(place)));
        }
        if facts.text_relocations {
            self.line("    code is written to when it is loaded (text relocations)");
        }
        if facts.format == Format::Elf {
            self.line(&format!("    {}", protection(facts)));
        }
        for table in &facts.tables {
            let slots = table.slots;
            self.line(&match &table.state {
                State::Whole { landing_pads } => format!(
                    "    has a table of statictramp, whole: {slots} stubs, each of which reads its own slot alone{}",
                    if *landing_pads { ", with landing pads" } else { "" }
                ),
                State::NotLinked => format!("    has a table of statictramp, to be linked: {slots} slots"),
                State::NotDecoded => {
                    format!("    has a table of statictramp of {slots} slots, whose stubs cannot be decoded")
                }
                State::Broken(why) => format!("    has a table of statictramp that is BROKEN: {why}"),
            });
        }
        for line in advice {
            self.line(&format!("    -> {line}"));
        }
    }

    /// Reports a copy that was written, or that could not be written.
    pub fn cleared(&mut self, path: &Path, outcome: Result<PathBuf, String>) {
        match outcome {
            Ok(copy) => {
                let copy = self.name(copy.as_os_str().as_encoded_bytes());
                self.line(&format!("    written: {copy}"));
                let path = self.name(path.as_os_str().as_encoded_bytes());
                self.value(&json!({ "path": path, "cleared": copy }));
            }
            Err(why) => self.unreadable(path, &format!("not cleared: {why}")),
        }
    }

    /// Ends the report and returns the exit status.
    pub fn finish(mut self) -> Result<u8, String> {
        if self.style.json {
            let before = if self.values == 0 { "{\n  \"findings\": [" } else { "\n  " };
            let (looked_at, found, unreadable) = (self.looked_at, self.found, self.unreadable);
            self.print(&format!(
                "{before}],\n  \"looked_at\": {looked_at},\n  \"with_findings\": {found},\n  \"unreadable\": {unreadable}\n}}\n"
            ));
        } else {
            let files = if self.looked_at == 1 { "file" } else { "files" };
            self.line(&format!(
                "{} {files} looked at, {} with findings, {} not readable",
                self.looked_at, self.found, self.unreadable
            ));
        }
        self.progress.clear();
        match self.broken {
            // A reader that closes the pipe has seen enough.
            Some(error) if !is_gone(&error) => Err(format!("standard output: {error}")),
            _ if self.unreadable > 0 => Ok(2),
            _ => Ok(u8::from(self.found > 0)),
        }
    }
}

/// Whether a file that the user did not name has something to report.
fn is_told(file: &Audited) -> bool {
    let verdict = Verdict::of(&file.facts);
    verdict::is_finding(verdict, &file.facts) || verdict == Verdict::Unknown
}

/// The compilers of the code that writes trampolines: those that debug information names or, without it, those named in
/// the file that may have generated these instructions. A program also names the compiler of its startup files, and
/// flang 19 does not name itself.
fn compilers(facts: &Facts) -> Vec<String> {
    let named: Vec<&str> = facts.writes.iter().filter_map(|written| written.producer.as_deref()).collect();
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !names.iter().any(|other| other == name) && names.len() < LISTED {
            names.push(name.to_owned());
        }
    };
    named.iter().for_each(|name| add(name));
    if named.is_empty() {
        for maker in facts.writes.iter().map(|written| written.maker) {
            let mut of_maker = facts.compilers.iter().filter(|text| maker.may_be(text)).peekable();
            if of_maker.peek().is_none() {
                add(maker.unnamed());
            }
            of_maker.for_each(|text| add(text));
        }
    }
    names
}

fn writable(place: &WritableCode) -> String {
    match &place.section {
        Some(name) => format!("the section {} is writable and executable", shown(name.as_bytes())),
        None => format!("the segment at {:#x} is loaded writable and executable", place.address),
    }
}

/// The hardening properties that all code of a file has.
fn protection(facts: &Facts) -> String {
    let features = facts.protection.features(facts.machine);
    let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
    let relro = match facts.protection.relro {
        _ if !facts.linked => String::new(),
        Relro::Full => "; RELRO full".into(),
        Relro::Partial => "; RELRO partial".into(),
        Relro::None => "; RELRO none".into(),
    };
    format!("control-flow protection: {features}{relro}")
}

fn value(name: &str, verdict: Verdict, facts: &Facts, advice: &[String]) -> Value {
    let writes: Vec<Value> = facts
        .writes
        .iter()
        .map(|written| {
            json!({
                "address": written.address,
                "function": written.function.as_deref(),
                "source": written.source.as_deref(),
                "producer": written.producer.as_deref(),
            })
        })
        .collect();
    let tables: Vec<Value> = facts
        .tables
        .iter()
        .map(|table| {
            let (state, why, pads) = match &table.state {
                State::Whole { landing_pads } => ("whole", None, Some(*landing_pads)),
                State::NotLinked => ("not-linked", None, None),
                State::NotDecoded => ("not-decoded", None, None),
                State::Broken(why) => ("broken", Some(why), None),
            };
            json!({ "slots": table.slots, "state": state, "why": why, "landing_pads": pads })
        })
        .collect();
    let writable: Vec<Value> = facts
        .writable_code
        .iter()
        .map(|place| json!({ "address": place.address, "section": place.section }))
        .collect();
    let calls: Vec<String> = facts.calls.iter().map(|call| format!("{call:?}")).collect();
    json!({
        "path": name,
        "verdict": verdict.word(),
        "sentence": verdict.sentence(facts),
        "format": format!("{:?}", facts.format),
        "linked": facts.linked,
        "machine": format!("{:?}", facts.machine),
        "writes": writes,
        "compilers": facts.compilers,
        "calls": calls,
        "writable_code": writable,
        "text_relocations": facts.text_relocations,
        "control_flow_protection": facts.protection.features(facts.machine),
        "relro": facts.linked.then(|| format!("{:?}", facts.protection.relro).to_lowercase()),
        "tables": tables,
        "assembly": facts.assembly,
        "advice": advice,
    })
}
