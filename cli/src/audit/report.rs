//! What was found, for people or for programs.

use super::file::Audited;
use super::verdict::{self, Verdict};
use crate::shown::shown;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

/// Places that are listed of one file; programs get all.
const LISTED: usize = 20;

/// What was found so far.
pub struct Report {
    json: bool,
    colour: bool,
    looked_at: usize,
    found: usize,
    unreadable: usize,
    values: Vec<Value>,
    /// What standard output said when it was written to last.
    broken: Option<std::io::Error>,
}

impl Report {
    pub fn new(json: bool) -> Self {
        let colour = !json && stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Report { json, colour, looked_at: 0, found: 0, unreadable: 0, values: Vec::new(), broken: None }
    }

    fn line(&mut self, text: &str) {
        if !self.json && self.broken.is_none() {
            self.broken = writeln!(stdout().lock(), "{text}").err();
        }
    }

    /// A name as a terminal may have it; a program gets all of it that is UTF-8.
    fn name(&self, bytes: &[u8]) -> String {
        if self.json { String::from_utf8_lossy(bytes).into_owned() } else { shown(bytes) }
    }

    /// A file in which no trampoline could be.
    pub fn passed(&mut self) {
        self.looked_at += 1;
    }

    /// Something that was to be looked at and could not be.
    pub fn unreadable(&mut self, path: &Path, why: &str) {
        self.unreadable += 1;
        let path = self.name(path.as_os_str().as_encoded_bytes());
        if self.json {
            self.values.push(json!({ "path": path, "error": why }));
        } else {
            crate::out::complain(format_args!("{path}: {why}"));
        }
    }

    /// Something that a process was found to have.
    pub fn finding(&mut self, text: &str) {
        self.found += 1;
        self.line(text);
        self.values.push(json!({ "finding": text }));
    }

    /// A word that is no finding.
    pub fn remark(&mut self, text: &str) {
        self.line(text);
    }

    /// A file and its verdict.
    pub fn file(&mut self, file: &Audited) -> Verdict {
        self.looked_at += 1;
        let facts = &file.facts;
        let verdict = Verdict::of(facts);
        let others = facts.text_relocations || !facts.writable_code.is_empty() || !facts.calls.is_empty();
        let mut name = self.name(file.path.as_os_str().as_encoded_bytes());
        if let Some(member) = &file.member {
            name += &format!("({})", self.name(member.as_bytes()));
        }
        let is_finding = !matches!(verdict, Verdict::Clean | Verdict::Unknown) || others;
        self.found += usize::from(is_finding);
        if self.json {
            if is_finding || verdict == Verdict::Unknown {
                self.values.push(value(&name, verdict, file));
            }
            return verdict;
        }
        if is_finding || verdict == Verdict::Unknown {
            self.describe(&name, verdict, file);
        }
        verdict
    }

    fn describe(&mut self, name: &str, verdict: Verdict, file: &Audited) {
        let facts = &file.facts;
        let (on, off) = match verdict {
            _ if !self.colour => ("", ""),
            Verdict::Needed | Verdict::NotAsked => ("\x1b[31m", "\x1b[0m"),
            _ => ("\x1b[33m", "\x1b[0m"),
        };
        self.line(&format!("{name}: {on}{}{off}", verdict.sentence()));
        for written in facts.writes.iter().take(LISTED) {
            let function = written
                .function
                .as_deref()
                .map_or(String::new(), |name| format!(" in {}", shown(name.as_bytes())));
            let source = written
                .source
                .as_deref()
                .map_or(String::new(), |name| format!(" ({})", shown(name.as_bytes())));
            self.line(&format!("    at {:#x}{function}{source}", written.address));
        }
        if facts.writes.len() > LISTED {
            self.line(&format!("    and {} more", facts.writes.len() - LISTED));
        }
        if !facts.writes.is_empty() && !facts.compilers.is_empty() {
            let compilers: Vec<String> = facts.compilers.iter().map(|text| shown(text.as_bytes())).collect();
            self.line(&format!("    compiled by {}", compilers.join("; ")));
        }
        for start in &facts.writable_code {
            self.line(&format!("    the segment at {start:#x} is loaded writable and executable"));
        }
        if facts.text_relocations {
            self.line("    code is written to when it is loaded (text relocations)");
        }
        for advice in verdict::advice(verdict, facts) {
            self.line(&format!("    -> {advice}"));
        }
    }

    /// A copy that was to be written.
    pub fn cleared(&mut self, path: &Path, outcome: Result<PathBuf, String>) {
        match outcome {
            Ok(copy) => {
                let copy = self.name(copy.as_os_str().as_encoded_bytes());
                self.line(&format!("    written: {copy}"));
                let path = self.name(path.as_os_str().as_encoded_bytes());
                self.values.push(json!({ "path": path, "cleared": copy }));
            }
            Err(why) => self.unreadable(path, &format!("not cleared: {why}")),
        }
    }

    /// Ends the report: the exit status.
    pub fn finish(mut self) -> Result<u8, String> {
        let summary = format!(
            "{} {} looked at, {} with findings, {} not readable",
            self.looked_at,
            if self.looked_at == 1 { "file" } else { "files" },
            self.found,
            self.unreadable
        );
        if self.json {
            let all = json!({
                "findings": std::mem::take(&mut self.values),
                "looked_at": self.looked_at,
                "with_findings": self.found,
                "unreadable": self.unreadable,
            });
            self.broken = writeln!(stdout().lock(), "{all:#}").err();
        } else {
            self.line(&summary);
        }
        match self.broken {
            // Who closes the pipe has seen enough.
            Some(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(format!("standard output: {error}"))
            }
            _ if self.unreadable > 0 => Ok(2),
            _ => Ok(u8::from(self.found > 0)),
        }
    }
}

fn value(name: &str, verdict: Verdict, file: &Audited) -> Value {
    let facts = &file.facts;
    let writes: Vec<Value> = facts
        .writes
        .iter()
        .map(|written| json!({ "address": written.address, "function": written.function.as_deref(), "source": written.source.as_deref() }))
        .collect();
    json!({
        "path": name,
        "verdict": verdict.word(),
        "sentence": verdict.sentence(),
        "machine": format!("{:?}", facts.machine),
        "writes": writes,
        "compilers": facts.compilers,
        "calls": facts.calls,
        "writable_code": facts.writable_code,
        "text_relocations": facts.text_relocations,
        "advice": verdict::advice(verdict, facts),
    })
}
