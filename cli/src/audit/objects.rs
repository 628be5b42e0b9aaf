//! Objects that cause a linked file to request an executable stack, in directories, archives, objects and link maps named
//! by the user.

use super::code::assembly::{Assembly, NOTE};
use super::contents::{self, Found};
use super::files::facts::{Asks, Facts};
use super::files::wants::Wants;
use super::walk;
use crate::shown::shown;
use object::Architecture;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum length of a link map in bytes.
const LONGEST_MAP: u64 = 256 << 20;

/// Reason why an object causes linkers to request an executable stack.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Why {
    /// The object writes trampolines.
    #[serde(rename = "writes-trampolines")]
    Writes,
    /// The object's note requests an executable stack.
    Asks,
    /// The object has no note.
    NoNote,
}

/// An object that causes linkers to request an executable stack.
pub struct Culprit {
    pub name: Vec<u8>,
    machine: Architecture,
    pub why: Why,
    pub source: Option<String>,
    /// The line to add to the assembly source of an object that has no note.
    pub note: &'static str,
}

impl Culprit {
    fn of(name: Vec<u8>, facts: &Facts) -> Option<Self> {
        let why = match facts.asks {
            _ if facts.linked || facts.outside.is_some() => return None,
            _ if !facts.writes.is_empty() => Why::Writes,
            Asks::Yes => Why::Asks,
            Asks::SaysNothing => Why::NoNote,
            Asks::No => return None,
        };
        let written = facts.writes.iter().find_map(|it| it.source.as_deref().map(str::to_owned));
        let source = written
            .or_else(|| facts.assembly.first().map(|it| it.name.clone()))
            .or_else(|| facts.source.clone());
        let note = facts.assembly.first().map_or(NOTE, Assembly::note);
        Some(Culprit { name, machine: facts.machine, why, source, note })
    }

    /// Returns whether this object might be part of the file described by `facts`, and might therefore explain why that
    /// file requests an executable stack.
    pub fn explains(&self, facts: &Facts) -> bool {
        facts.linked && facts.asks != Asks::No && self.machine == facts.machine
    }

    /// Returns a description for text output.
    pub fn message(&self) -> String {
        let name = shown(&self.name);
        let source = self.source.as_ref().map(|it| shown(it.as_bytes()));
        let from = source.as_ref().map_or(String::new(), |it| format!(", compiled from {it},"));
        match self.why {
            Why::Writes => format!("the object {name}{from} writes trampolines"),
            Why::Asks => format!("the object {name}{from} has a note that asks for an executable stack"),
            Why::NoNote => {
                let to = source.map_or("its source".into(), |it| it);
                format!("the object {name} has no .note.GNU-stack: add {} to {to}", self.note)
            }
        }
    }
}

/// Returns the objects, in or under the named paths, that cause linkers to request an executable stack. For a link map,
/// searches the files that it names.
///
/// # Errors
/// Returns an error message if a path cannot be read.
pub fn culprits(paths: &[PathBuf]) -> Result<Vec<Culprit>, String> {
    let wants = Wants { details: true, ..Wants::default() };
    let mut all = Vec::new();
    for path in paths {
        let name = || shown(path.as_os_str().as_encoded_bytes());
        let metadata = std::fs::metadata(path).map_err(|why| format!("{}: {why}", name()))?;
        if metadata.is_file()
            && metadata.len() <= LONGEST_MAP
            && let Some(linked) = mapped(path).map_err(|why| format!("{}: {why}", name()))?
        {
            for file in linked.iter().map(|it| &it.0).collect::<BTreeSet<_>>() {
                add(&contents::audit(file, &wants), &mut all, |member| {
                    linked.contains(&(file.clone(), member.map(<[u8]>::to_vec)))
                });
            }
            continue;
        }
        let mut error = None;
        walk::files(std::slice::from_ref(path), &wants, false, |_, item| {
            match item {
                walk::Item::Found { found, .. } => add(&found, &mut all, |_| true),
                walk::Item::Skipped(_) | walk::Item::Busy => {}
                walk::Item::Unreadable(why) => error = error.take().or(Some(format!("{}: {why}", name()))),
            }
            true
        });
        if let Some(error) = error {
            return Err(error);
        }
    }
    Ok(all)
}

fn add(found: &Found, all: &mut Vec<Culprit>, is_linked: impl Fn(Option<&[u8]>) -> bool) {
    for file in found.files.iter().filter(|it| is_linked(it.location.member.as_deref())) {
        all.extend(Culprit::of(file.location.name(), &file.facts));
    }
}

/// Linked objects. Each element is an object file, or an archive and the name of a member.
type Linked = BTreeSet<(PathBuf, Option<Vec<u8>>)>;

/// Returns the existing objects and archive members named in a link map from GNU ld, lld, gold or mold. Returns `None`
/// if the file is not text and therefore cannot be a link map.
fn mapped(path: &Path) -> std::io::Result<Option<Linked>> {
    let mut bytes = Vec::new();
    // Files in /proc are longer than the length that they report.
    std::fs::File::open(path)?.take(LONGEST_MAP).read_to_end(&mut bytes)?;
    let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
    if text.contains('\0') {
        return Ok(None);
    }
    let base = path.parent().unwrap_or(Path::new(""));
    let existing = |name: &str| {
        let near = base.join(name);
        let found = if near.is_file() { near } else { PathBuf::from(name) };
        found.is_file().then_some(found)
    };
    let mut linked = Linked::new();
    let mut words = BTreeSet::new();
    for word in text.split_whitespace() {
        // lld and mold: file:(section).
        let word = word.split_once(":(").map_or(word, |it| it.0);
        if (word.ends_with(".o") || word.ends_with(".obj") || word.ends_with(')')) && words.insert(word) {
            let (name, member) = match word.strip_suffix(')').and_then(|it| it.rsplit_once('(')) {
                Some((name, member)) => (name, Some(member.as_bytes().to_vec())),
                None => (word, None),
            };
            linked.extend(existing(name).map(|name| (name, member)));
        }
    }
    Ok(Some(linked))
}
