//! JSON output, which `schema.json` describes.

use super::exceptions::Exceptions;
use super::{Judged, Totals};
use crate::audit::files::facts::{Asks, Call, Facts, Format};
use crate::audit::files::machine;
use crate::audit::objects::{Culprit, NOTE, Why};
use crate::audit::report::tags::Tag;
use crate::audit::table::State;
use serde_json::{Map, Value, json};

/// The JSON Schema of the output.
pub const SCHEMA: &str = include_str!("schema.json");
/// The version of the format. It changes if a field is removed or its meaning changes, but not if fields are added.
pub const VERSION: u32 = 1;

/// The lists that follow the findings.
#[derive(Default)]
pub struct Lists {
    /// The number of findings that have been printed.
    findings: usize,
    process: Vec<Value>,
    files: Vec<Value>,
    excepted: Vec<Value>,
    errors: Vec<Value>,
    skipped: Vec<Value>,
    cleared: Vec<Value>,
}

/// Returns an object that begins with a name. If the name is not valid UTF-8, its invalid bytes are escaped, and
/// `path_bytes` contains the unchanged bytes.
fn named(key: &str, name: &[u8], rest: Value) -> Value {
    let mut all = Map::new();
    put_name(&mut all, key, name);
    if let Value::Object(rest) = rest {
        all.extend(rest);
    }
    Value::Object(all)
}

fn put_name(all: &mut Map<String, Value>, key: &str, name: &[u8]) {
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    all.insert(key.to_owned(), text.into());
    if std::str::from_utf8(name).is_err() {
        let bytes: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
        all.insert(format!("{key}_bytes"), bytes.into());
    }
}

fn culprit(object: &Culprit) -> Value {
    let why = match object.why {
        Why::Writes => "writes-trampolines",
        Why::Asks => "asks",
        Why::NoNote => "no-note",
    };
    let add = (object.why == Why::NoNote).then_some(NOTE);
    named("path", &object.name, json!({ "why": why, "source": object.source, "add": add }))
}

impl Lists {
    /// Formats a finding as printable text.
    pub fn finding(&mut self, value: &Value) -> String {
        let before = if self.findings == 0 { Lists::start() } else { ",".into() };
        self.findings += 1;
        format!("{before}\n    {}", format!("{value:#}").replace('\n', "\n    "))
    }

    fn start() -> String {
        let version = env!("CARGO_PKG_VERSION");
        format!("{{\n  \"schema\": {VERSION},\n  \"version\": \"{version}\",\n  \"findings\": [")
    }

    /// Adds a file that has no findings, or only accepted ones. The list of files includes this file only if `is_told`
    /// is true.
    pub fn other(&mut self, judged: &Judged<'_>, is_told: bool) {
        for it in &judged.excepted {
            let rest = json!({ "tag": it.tag.name, "reason": it.reason });
            self.excepted.push(named("path", &judged.name, rest));
        }
        if is_told {
            self.files.push(value(judged));
        }
    }

    pub fn error(&mut self, name: &[u8], why: &str) {
        self.errors.push(named("path", name, json!({ "error": why })));
    }

    pub fn skipped(&mut self, name: &[u8], why: &str) {
        self.skipped.push(named("path", name, json!({ "reason": why })));
    }

    pub fn cleared(&mut self, name: &[u8], copy: &[u8]) {
        let mut all = Map::new();
        put_name(&mut all, "path", name);
        put_name(&mut all, "cleared", copy);
        self.cleared.push(Value::Object(all));
    }

    pub fn process(
        &mut self,
        process: &str,
        tag: &'static Tag,
        text: &str,
        details: Value,
        reason: Option<&str>,
    ) {
        if let Some(reason) = reason {
            self.excepted.push(json!({ "path": process, "tag": tag.name, "reason": reason }));
            return;
        }
        self.process
            .push(json!({ "process": process, "tag": tag.name, "sentence": text, "details": details }));
    }

    /// Returns the rest of the output.
    pub fn end(&mut self, totals: &Totals, exceptions: &Exceptions) -> String {
        let mut text = if self.findings == 0 { Lists::start() } else { "\n  ".into() };
        text.push(']');
        let unused: Vec<Value> = exceptions
            .unused()
            .map(|it| json!({ "pattern": it.pattern, "tag": it.tag.name, "line": it.line }))
            .collect();
        let lists = [
            ("process", std::mem::take(&mut self.process)),
            ("files", std::mem::take(&mut self.files)),
            ("excepted", std::mem::take(&mut self.excepted)),
            ("unused_exceptions", unused),
            ("errors", std::mem::take(&mut self.errors)),
            ("not_looked_into", std::mem::take(&mut self.skipped)),
            ("cleared", std::mem::take(&mut self.cleared)),
        ];
        for (name, list) in lists {
            let list = format!("{:#}", Value::Array(list)).replace('\n', "\n  ");
            text.push_str(&format!(",\n  \"{name}\": {list}"));
        }
        let numbers = [
            ("looked_at", totals.looked_at),
            ("with_findings", totals.found),
            ("unreadable", totals.unreadable),
            ("skipped", totals.skipped),
            ("no_machine_code", totals.no_machine_code),
            ("firmware", totals.firmware),
            ("unknown", totals.unknown),
            ("accepted", totals.excepted),
        ];
        for (name, number) in numbers {
            text.push_str(&format!(",\n  \"{name}\": {number}"));
        }
        text + "\n}\n"
    }
}

/// Returns a file and its verdict as a JSON object.
pub fn value(judged: &Judged<'_>) -> Value {
    let (verdict, facts) = (judged.verdict, &judged.file.facts);
    let writes: Vec<Value> = facts
        .writes
        .iter()
        .map(|written| {
            json!({
                "address": written.address,
                "function": written.function.as_deref(),
                "source": written.source.as_deref(),
                "producer": written.producer.as_deref(),
                "doubt": written.doubt.map(|it| it.word()),
            })
        })
        .collect();
    let tables: Vec<Value> = facts
        .tables
        .iter()
        .map(|table| {
            let (state, why, protection) = match &table.state {
                State::Whole(protection) => ("whole", None, Some(protection)),
                State::NotLinked => ("not-linked", None, None),
                State::NotDecoded => ("not-decoded", None, None),
                State::Broken(why) => ("broken", Some(why), None),
            };
            json!({
                "slots": table.slots,
                "state": state,
                "why": why,
                "landing_pads": protection.map(|it| it.landing_pad),
                "signed": protection.map(|it| it.signed),
            })
        })
        .collect();
    let writable: Vec<Value> = facts
        .writable_code
        .iter()
        .map(|place| json!({ "address": place.address, "section": place.section }))
        .collect();
    let tags: Vec<Value> = judged
        .tags
        .iter()
        .map(|tag| {
            let level = tag.level.word();
            json!({ "tag": tag.name, "level": level, "lintian": tag.lintian, "rpmlint": tag.rpmlint })
        })
        .collect();
    let excepted: Vec<Value> =
        judged.excepted.iter().map(|it| json!({ "tag": it.tag.name, "reason": it.reason })).collect();
    let objects: Vec<Value> = judged.culprits.iter().map(|&it| culprit(it)).collect();
    let mut all = named(
        "path",
        &judged.name,
        json!({
            "verdict": verdict.word(),
            "stack": stack(facts),
            "certain": !facts.is_doubtful(),
            "sentence": verdict.sentence(facts),
            "tags": tags,
            "excepted": excepted,
            "format": format(facts.format),
            "kind": kind(facts),
            "linked": facts.linked,
            "machine": machine::name(facts.machine),
            "outside": facts.outside.map(|it| it.word()),
            "writes": writes,
            "compilers": facts.compilers,
            "calls": facts.calls.iter().map(|&it| call(it)).collect::<Vec<_>>(),
            "writable_code": writable,
            "text_relocations": facts.text_relocations,
            "control_flow_protection": facts.protection.features(facts.machine),
            "relro": facts.linked.then(|| format!("{:?}", facts.protection.relro).to_lowercase()),
            "tables": tables,
            "assembly": facts.assembly,
            "objects": objects,
            "advice": judged.advice,
        }),
    );
    if let (Some(member), Value::Object(all)) = (&judged.file.place.member, &mut all) {
        all.insert("member".into(), String::from_utf8_lossy(member).into());
    }
    all
}

fn stack(facts: &Facts) -> &'static str {
    match facts.asks {
        Asks::Yes => "RWE",
        Asks::No => "RW",
        Asks::SaysNothing => "none",
    }
}

fn format(format: Format) -> &'static str {
    match format {
        Format::Elf => "elf",
        Format::Pe => "pe",
        Format::MachO => "mach-o",
        Format::Bitcode => "bitcode",
    }
}

fn kind(facts: &Facts) -> &'static str {
    match (facts.linked, facts.is_library, facts.is_static) {
        (false, ..) => "object",
        (_, true, _) => "library",
        (.., true) => "static-program",
        _ => "program",
    }
}

fn call(call: Call) -> &'static str {
    match call {
        Call::GccHeap => "gcc-heap",
        Call::FlangPool => "flang-pool",
        Call::TrampolineSetup => "trampoline-setup",
    }
}
