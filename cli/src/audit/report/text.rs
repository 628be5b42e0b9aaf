//! Text output, for human readers.

use super::{Judged, LISTED, Totals};
use crate::audit::files::facts::{
    Audited, Compiler, Facts, Feature, Format, Pool, PoolOf, Relro, WritableCode,
};
use crate::audit::table::State;
use crate::audit::verdict::Verdict;
use crate::shown::shown;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// Returns the lines about a file, and about members of the same archive that have the same verdict.
pub fn file(judged: &Judged<'_>, alike: &[&Audited], colour: bool) -> String {
    let (verdict, facts) = (judged.verdict, &judged.file.facts);
    let mut text = String::new();
    let mut line = |it: String| _ = writeln!(text, "{it}");
    let (on, off) = match verdict {
        _ if !colour => ("", ""),
        Verdict::Needed | Verdict::NotAsked => ("\x1b[31m", "\x1b[0m"),
        Verdict::Clean => ("\x1b[32m", "\x1b[0m"),
        _ => ("\x1b[33m", "\x1b[0m"),
    };
    let tags: Vec<&str> = judged.tags.iter().map(|tag| tag.name).collect();
    let tags = if tags.is_empty() { String::new() } else { format!(" [{}]", tags.join(", ")) };
    line(format!("{}: {on}{}{off}{tags}", name(judged, alike), verdict.message(facts)));
    for excepted in &judged.excepted {
        line(format!("    accepted: {}, because: {}", excepted.tag.name, shown(excepted.reason.as_bytes())));
    }
    let part = |text: &Option<Arc<str>>, before: &str, after: &str| {
        text.as_deref().map_or(String::new(), |it| format!("{before}{}{after}", shown(it.as_bytes())))
    };
    if !facts.lists_all_writes() {
        let (number, noun) = (facts.writes.len(), if facts.writes.len() == 1 { "place" } else { "places" });
        line(format!("    in at least {number} {noun}, which may each write several trampolines:"));
    }
    for written in facts.writes.iter().take(LISTED) {
        let (function, source) = (part(&written.function, " in ", ""), part(&written.source, " (", ")"));
        let doubt = match written.doubt {
            Some(doubt) if !facts.is_doubtful() => format!(": {}", doubt.reason()),
            _ => String::new(),
        };
        line(format!("    at {:#x}{function}{source}{doubt}", written.address));
    }
    if facts.writes.len() > LISTED {
        line(format!("    and {} more", facts.writes.len() - LISTED));
    }
    let compilers = compilers(facts);
    if !compilers.is_empty() {
        let compilers: Vec<String> = compilers.iter().map(|text| shown(text.as_bytes())).collect();
        line(format!("    compiled by {}", compilers.join("; ")));
    }
    for code in facts.writable_code.iter().take(LISTED) {
        line(format!("    {}", writable(code)));
    }
    if facts.has_invalid_sections {
        line("    its section headers are invalid; the verdict is based on its segments".into());
    }
    if facts.text_relocations {
        line("    code is modified when it is loaded (text relocations)".into());
    }
    if facts.format == Format::Elf && facts.outside.is_none() {
        line(format!("    {}", protection(facts)));
    }
    for table in &facts.tables {
        let slots = table.slots;
        line(match &table.state {
            State::Whole(protection) => format!(
                "    has a statictramp table that is intact: {slots} stubs, each of which reads only its own slot{}",
                match (protection.landing_pad, protection.signed) {
                    (false, false) => "",
                    (true, false) => ", with landing pads",
                    (false, true) => ", with signed slots",
                    (true, true) => ", with landing pads and signed slots",
                }
            ),
            State::NotLinked => {
                format!("    has a statictramp table that is not yet linked: {slots} slots")
            }
            State::NotDecoded => {
                format!("    has a statictramp table of {slots} slots, whose stubs cannot be decoded")
            }
            State::Broken(why) => format!("    has a statictramp table that is BROKEN: {why}"),
        });
    }
    for (compiler, pool) in facts.pools.iter().map(pool) {
        line(format!("    trampolines for code compiled by {compiler} come from {pool}"));
    }
    for culprit in judged.culprits.iter().take(LISTED) {
        line(format!("    {}", culprit.message()));
    }
    if judged.culprits.len() > LISTED {
        line(format!("    and {} more objects", judged.culprits.len() - LISTED));
    }
    for remedy in &judged.remedies {
        line(format!("    -> {remedy}"));
    }
    text
}

/// Returns the name of a file or, for a group of archive members with the same verdict, all their names.
fn name(judged: &Judged<'_>, alike: &[&Audited]) -> String {
    let location = &judged.file.location;
    let Some(member) = &location.member else { return shown(&judged.name) };
    let members = [member].into_iter().chain(alike.iter().filter_map(|file| file.location.member.as_ref()));
    let listed: Vec<String> = members.take(LISTED).map(|it| shown(it)).collect();
    let more = match (alike.len() + 1).checked_sub(LISTED).filter(|&more| more > 0) {
        Some(more) => format!(" and {more} more"),
        None => String::new(),
    };
    format!("{}({}){more}", shown(&location.outer()), listed.join(", "))
}

/// Returns the last lines of the report.
pub fn end(totals: &Totals, reasons: &BTreeMap<&str, usize>) -> String {
    let Totals { looked_at, found, unreadable, skipped, no_machine_code, firmware, unknown, excepted } =
        *totals;
    let files = if looked_at == 1 { "file" } else { "files" };
    let mut text = String::new();
    let kinds = [
        (no_machine_code, "without machine code"),
        (firmware, "for a board, a boot loader or the kernel"),
        (unknown, "for a processor whose trampolines the tool cannot recognise"),
    ];
    let kinds: Vec<String> =
        kinds.iter().filter(|it| it.0 > 0).map(|(number, what)| format!("{number} {what}")).collect();
    if !kinds.is_empty() {
        let _ = writeln!(text, "not judged: {}", kinds.join(", "));
    }
    if !reasons.is_empty() {
        let reasons: Vec<String> = reasons.iter().map(|(why, number)| format!("{number} ({why})")).collect();
        let _ = writeln!(text, "not examined: {}", reasons.join(", "));
    }
    let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    let excepted = if excepted > 0 { format!(", {excepted} accepted by exceptions") } else { String::new() };
    let _ = writeln!(
        text,
        "{looked_at} {files} examined, {found} with findings, {unreadable} unreadable{skipped}{excepted}"
    );
    text
}

/// Returns the compilers of the code that writes trampolines: those named in the debug information or, failing that,
/// those in `.comment` that might have generated the instructions. Other compilers are omitted, because a program's
/// `.comment` also names the compiler of its startup files. flang 19 is never included, because it does not record its
/// name.
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

/// Returns the compiler of code that calls trampoline-making functions, and the library that provides these functions.
fn pool(it: &PoolOf) -> (&'static str, &'static str) {
    match (it.compiler, it.pool) {
        (Compiler::Gcc, Pool::Statictramp) => ("GCC", "statictramp"),
        (Compiler::Gcc, Pool::Runtime) => ("GCC", "libgcc"),
        (Compiler::Flang, Pool::Statictramp) => ("flang", "statictramp"),
        (Compiler::Flang, Pool::Runtime) => ("flang", "flang's runtime"),
    }
}

fn writable(code: &WritableCode) -> String {
    match &code.section {
        Some(name) => format!("the section {} is writable and executable", shown(name.as_bytes())),
        None => format!("the segment at {:#x} is loaded writable and executable", code.address),
    }
}

/// Returns a description of a file's hardening properties.
fn protection(facts: &Facts) -> String {
    let features = facts.protection.features(facts.machine);
    let features = if features.is_empty() {
        "none".to_owned()
    } else {
        features.iter().map(Feature::to_string).collect::<Vec<_>>().join(", ")
    };
    let relro = match facts.protection.relro {
        _ if !facts.linked => String::new(),
        Relro::Full => "; RELRO full".into(),
        Relro::Partial => "; RELRO partial".into(),
        Relro::None => "; RELRO none".into(),
    };
    format!("control-flow protection: {features}{relro}")
}
