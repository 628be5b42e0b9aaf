//! JSON output. `document.rs` contains the types of the output.

use super::document::{
    Accepted, AcceptedIn, Cleared, Details, File, Finding, Head, InProcess, Kind, Object, Rest, Skipped,
    Table, TableState, Unreadable, Unused, VERSION, Write,
};
use super::exceptions::Exceptions;
use super::{Judged, Totals};
use crate::audit::files::facts::Facts;
use crate::audit::files::machine;
use crate::audit::objects::{Culprit, Why};
use crate::audit::report::tags::Tag;
use crate::audit::table::{self, State};
use serde::Serialize;

/// The rest of the output, printed after the findings.
#[derive(Default)]
pub struct Lists {
    /// The number of findings that have been printed.
    findings: usize,
    rest: Rest,
}

impl Lists {
    /// Formats a finding as printable text.
    pub fn finding(&mut self, judged: &Judged<'_>) -> String {
        let before = if self.findings == 0 { Lists::start() } else { ",".into() };
        self.findings += 1;
        format!("{before}\n    {}", printed(&File::of(judged)).replace('\n', "\n    "))
    }

    fn start() -> String {
        let head = printed(&Head { schema: VERSION, version: env!("CARGO_PKG_VERSION") });
        format!("{},\n  \"findings\": [", head.trim_end_matches("\n}"))
    }

    /// Adds a file without unaccepted findings to the list of files, if `is_listed` is true.
    pub fn other(&mut self, judged: &Judged<'_>, is_listed: bool) {
        for it in &judged.excepted {
            let path = judged.name.as_slice().into();
            self.rest.excepted.push(AcceptedIn { path, tag: it.tag, reason: it.reason.clone() });
        }
        if is_listed {
            self.rest.files.push(File::of(judged));
        }
    }

    pub fn error(&mut self, name: &[u8], why: &str) {
        self.rest.errors.push(Unreadable { path: name.into(), error: why.to_owned() });
    }

    pub fn skipped(&mut self, name: &[u8], why: &str) {
        self.rest.not_looked_into.push(Skipped { path: name.into(), reason: why.to_owned() });
    }

    pub fn cleared(&mut self, name: &[u8], copy: &[u8], members: &[Vec<u8>]) {
        let members = members.iter().map(|it| String::from_utf8_lossy(it).into_owned()).collect();
        self.rest.cleared.push(Cleared { path: name.into(), copy: copy.into(), members });
    }

    pub fn not_cleared(&mut self, name: &[u8], why: &str) {
        self.rest.not_cleared.push(Skipped { path: name.into(), reason: why.to_owned() });
    }

    pub fn process(
        &mut self,
        process: &str,
        tag: &'static Tag,
        text: &str,
        details: Details,
        reason: Option<&str>,
    ) {
        if let Some(reason) = reason {
            let path = process.as_bytes().into();
            return self.rest.excepted.push(AcceptedIn { path, tag, reason: reason.to_owned() });
        }
        let (process, message) = (process.to_owned(), text.to_owned());
        self.rest.process.push(InProcess { process, tag, message, details });
    }

    /// Returns the rest of the output.
    pub fn end(&mut self, totals: &Totals, exceptions: &Exceptions) -> String {
        let start = if self.findings == 0 { Lists::start() } else { "\n  ".into() };
        self.rest.totals = *totals;
        self.rest.unused_exceptions = exceptions
            .unused()
            .map(|it| Unused { pattern: it.pattern.clone(), tag: it.tag, line: it.line })
            .collect();
        format!("{start}],{}\n", printed(&self.rest).trim_start_matches('{'))
    }
}

/// Formats a value as indented JSON.
fn printed(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() // cannot fail: every key is a string
}

impl File {
    fn of(judged: &Judged<'_>) -> Self {
        let (verdict, facts) = (judged.verdict, &judged.file.facts);
        let writes = facts.writes.iter().map(|it| Write {
            address: it.address,
            function: it.function.clone(),
            source: it.source.clone(),
            producer: it.producer.clone(),
            doubt: it.doubt,
        });
        let tags = judged.tags.iter().map(|&tag| Finding {
            tag,
            level: tag.level,
            lintian: tag.lintian,
            rpmlint: tag.rpmlint,
        });
        let excepted = judged.excepted.iter();
        File {
            path: judged.name.as_slice().into(),
            member: judged.file.location.member.as_ref().map(|it| String::from_utf8_lossy(it).into_owned()),
            verdict,
            stack: facts.asks,
            certain: !facts.is_doubtful(),
            message: verdict.message(facts),
            tags: tags.collect(),
            excepted: excepted.map(|it| Accepted { tag: it.tag, reason: it.reason.clone() }).collect(),
            format: facts.format,
            kind: Kind::of(facts),
            linked: facts.linked,
            machine: machine::name(facts.machine),
            outside: facts.outside,
            writes: writes.collect(),
            writes_complete: facts.lists_all_writes(),
            compilers: facts.compilers.clone(),
            calls: facts.calls.clone(),
            pools: facts.pools.clone(),
            writable_code: facts.writable_code.clone(),
            text_relocations: facts.text_relocations,
            invalid_sections: facts.has_invalid_sections,
            control_flow_protection: facts.protection.features(facts.machine),
            relro: facts.linked.then_some(facts.protection.relro),
            hardening: facts.hardening,
            tables: facts.tables.iter().map(Table::of).collect(),
            assembly: facts.assembly.iter().map(|it| it.name.clone()).collect(),
            objects: judged.culprits.iter().map(|it| Object::of(it)).collect(),
            remedies: judged.remedies.clone(),
        }
    }
}

impl Kind {
    fn of(facts: &Facts) -> Self {
        match (facts.linked, facts.is_library, facts.is_static) {
            (false, ..) => Kind::Object,
            (_, true, _) => Kind::Library,
            (.., true) => Kind::StaticProgram,
            _ => Kind::Program,
        }
    }
}

impl Table {
    fn of(table: &table::Table) -> Self {
        let (state, why, protection) = match &table.state {
            State::Whole(protection) => (TableState::Whole, None, Some(protection)),
            State::NotLinked => (TableState::NotLinked, None, None),
            State::NotDecoded => (TableState::NotDecoded, None, None),
            State::Broken(why) => (TableState::Broken, Some(why.clone()), None),
        };
        Table {
            slots: table.slots,
            state,
            why,
            landing_pads: protection.map(|it| it.landing_pad),
            signed: protection.map(|it| it.signed),
        }
    }
}

impl Object {
    fn of(object: &Culprit) -> Self {
        Object {
            path: object.name.as_slice().into(),
            why: object.why,
            source: object.source.clone(),
            add: (object.why == Why::NoNote).then_some(object.note),
        }
    }
}
