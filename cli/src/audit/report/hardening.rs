//! The line that --hardening prints for each file.

use super::Judged;
use crate::audit::files::facts::{Asks, Facts, Feature, Format, Protection, Relro};
use crate::audit::files::hardening::Hardening;
use crate::shown::shown;

/// The text shown for a property that does not apply to a file.
const NONE: &str = "-";

/// Returns the line about a file: its hardening, and the tags of its findings.
pub fn line(judged: &Judged<'_>) -> String {
    let facts = &judged.file.facts;
    let text = match (facts.hardening, facts.format) {
        (Some(hardening), _) => properties(facts, hardening),
        (None, Format::Pe) => "a PE file, not an ELF file".into(),
        (None, Format::MachO) => "a Mach-O file, not an ELF file".into(),
        (None, Format::Bitcode) => "LLVM bitcode, not an ELF file".into(),
        (None, Format::Elf) => "an ELF file".into(), // unreachable: every ELF file has these properties
    };
    let tags: Vec<&str> = judged.tags.iter().map(|tag| tag.name).collect();
    let tags = if tags.is_empty() { String::new() } else { format!(" [{}]", tags.join(", ")) };
    format!("{}: {text}{tags}", shown(&judged.name))
}

fn properties(facts: &Facts, hardening: Hardening) -> String {
    let stack = match facts.asks {
        Asks::Yes => "RWE",
        Asks::No => "RW",
        Asks::SaysNothing => "none",
    };
    let kind = match hardening.position_independent {
        None => "object",
        Some(_) if facts.is_library => "library",
        Some(true) if facts.is_static => "static-pie",
        Some(true) => "pie",
        Some(false) if facts.is_static => "static",
        Some(false) => "no-pie",
    };
    let relro = match facts.protection.relro {
        _ if !facts.linked => NONE,
        Relro::Full => "full",
        Relro::Partial => "partial",
        Relro::None => "none",
    };
    let word = |it: Option<bool>, unknown| it.map_or(unknown, |it| if it { "yes" } else { "no" });
    let fortify = match hardening.fortify.map(|it| (it.checked, it.checked + it.unchecked)) {
        None => "?".into(),
        Some((_, 0)) => NONE.into(),
        Some((checked, all)) => format!("{checked}/{all}"),
    };
    let features = facts.protection.features(facts.machine);
    let features = match Protection::known(facts.machine) {
        [] => NONE.into(),
        _ if features.is_empty() => "none".into(),
        _ => features.iter().map(Feature::to_string).collect::<Vec<_>>().join(","),
    };
    format!(
        "stack={stack} type={kind} relro={relro} bind-now={} canary={} fortify={fortify} control-flow={features} \
         textrel={}",
        word(hardening.bind_now, NONE),
        word(hardening.canaries, "?"),
        word(facts.linked.then_some(facts.text_relocations), NONE),
    )
}
