//! Makes an object from the sections reached by the same parts.

use crate::Result;
use crate::elf::{Definition, Object, Symbol, hidden};
use crate::frames::Frames;
use crate::parts::{Part, Reached, defined, is_in_each, reached};
use object::elf;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Divides an object. Returns the new objects with the names of their files. Names of symbols that are added begin with
/// `prefix`. The object that contains the symbol `table` also has the absolute symbols.
pub fn divide(object: &Object, parts: &[Part], table: &str, prefix: &str) -> Result<Vec<(String, Object)>> {
    if object.sections.iter().any(|section| section.name.starts_with(b".debug_info")) {
        return Err("an object with debugging information cannot be divided".into());
    }
    let frames = Frames::read(object)?;
    let table = defined(object, table).ok_or_else(|| format!("the object does not define {table}"))?;
    let reached = reached(object, parts, table, &frames)?;
    let mut members: BTreeMap<&BTreeSet<usize>, BTreeSet<usize>> = BTreeMap::new();
    for (section, by) in reached.iter().enumerate().filter(|(_, by)| !by.is_empty()) {
        members.entry(by).or_default().insert(section);
    }
    let crossing = crossing(object, &reached, prefix);
    let mut shared = 0;
    let mut objects = Vec::new();
    for (by, sections) in members {
        let mut names = by.iter().map(|&part| &parts[part].name);
        let name = match (names.next(), names.next()) {
            (Some(only), None) => format!("{only}.o"),
            _ => {
                shared += 1;
                format!("shared-{shared}.o")
            }
        };
        let member = Member { object, frames: &frames, crossing: &crossing, sections: &sections };
        objects.push((name, member.make(sections.contains(&table))?));
    }
    Ok(objects)
}

/// Returns the new names of the local symbols to which other members refer.
fn crossing(object: &Object, reached: &Reached, prefix: &str) -> BTreeMap<usize, Vec<u8>> {
    let mut names = BTreeMap::new();
    let mut taken = HashSet::new();
    for (index, section) in
        object.sections.iter().enumerate().filter(|(index, _)| !reached[*index].is_empty())
    {
        for relocation in &section.relocations {
            let symbol = &object.symbols[relocation.symbol];
            let Some(target) = object.section_of(relocation.symbol) else { continue };
            if symbol.is_local() && reached[target] != reached[index] {
                names.insert(relocation.symbol, Vec::new());
            }
        }
    }
    for (&symbol, name) in &mut names {
        let symbol = &object.symbols[symbol];
        let own = match symbol.definition {
            Definition::Section(section) if symbol.kind() == elf::STT_SECTION => {
                let is_at_start = |it: &&Symbol| {
                    it.definition == symbol.definition && it.value == symbol.value && it.size > 0
                };
                let first = object.symbols.iter().find(is_at_start);
                first.map_or(&object.sections[section].name, |it| &it.name)
            }
            _ => &symbol.name,
        };
        *name = [prefix.as_bytes(), own].concat();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            *name = [prefix.as_bytes(), own, format!(".{number}").as_bytes()].concat();
        }
    }
    names
}

struct Member<'a> {
    object: &'a Object,
    frames: &'a Frames,
    crossing: &'a BTreeMap<usize, Vec<u8>>,
    sections: &'a BTreeSet<usize>,
}

impl Member<'_> {
    fn make(&self, has_absolutes: bool) -> Result<Object> {
        let object = self.object;
        let mut sections = vec![object.sections[0].clone()];
        let mut section_of = BTreeMap::new();
        let mut moved_frames = BTreeMap::new();
        for (index, section) in object.sections.iter().enumerate().skip(1) {
            let mut section = section.clone();
            if self.frames.are_in(index) {
                let Some((entries, moved)) = self.frames.of(object, index, self.sections) else { continue };
                section = entries;
                moved_frames.insert(index, moved);
            } else if !self.sections.contains(&index) && !is_in_each(&section) {
                continue;
            }
            // If a linker merged equal strings, another member's reference to the middle of the section would be invalid: only a
            // reference through the section's own symbol follows a string that moves.
            let merged = u64::from(elf::SHF_MERGE | elf::SHF_STRINGS);
            if section.flags & merged != 0 && self.is_crossed_into(index) {
                section.flags &= !merged;
                section.entry_size = 0;
            }
            section_of.insert(index, sections.len());
            sections.push(section);
        }

        // Local symbols come first.
        let used: BTreeSet<usize> =
            sections.iter().flat_map(|it| &it.relocations).map(|it| it.symbol).collect();
        let mut locals = Vec::new();
        let mut others = Vec::new();
        for (index, symbol) in object.symbols.iter().enumerate().skip(1) {
            let is_used = used.contains(&index);
            let here = match symbol.definition {
                Definition::Section(section) => section_of.get(&section).and_then(|&here| {
                    let value = match moved_frames.get(&section) {
                        Some(moved) if symbol.kind() != elf::STT_SECTION => moved.offset(symbol.value)?,
                        _ => symbol.value,
                    };
                    Some(Symbol { definition: Definition::Section(here), value, ..symbol.clone() })
                }),
                Definition::Absolute if symbol.is_local() => is_used.then(|| symbol.clone()),
                Definition::Absolute if has_absolutes => Some(symbol.clone()),
                Definition::Absolute | Definition::Undefined => None,
            };
            let global = self.crossing.get(&index).map(|name| global(object, symbol, name));
            match here {
                Some(here) if symbol.is_local() => {
                    others.extend(
                        global.map(|it| {
                            (None, Symbol { definition: here.definition, value: here.value, ..it })
                        }),
                    );
                    locals.push((Some(index), here));
                }
                Some(here) => others.push((Some(index), here)),
                None if is_used => {
                    let symbol = global.unwrap_or_else(|| symbol.clone());
                    if symbol.is_local() {
                        return Err(
                            format!("a member lacks {}", String::from_utf8_lossy(&symbol.name)).into()
                        );
                    }
                    // Only a strong reference makes a linker take a member from the archive, so a reference to a weak
                    // definition is made strong.
                    let is_defined = symbol.definition != Definition::Undefined;
                    let info = if is_defined { elf::STB_GLOBAL << 4 | symbol.kind() } else { symbol.info };
                    others.push((
                        Some(index),
                        Symbol { info, definition: Definition::Undefined, value: 0, size: 0, ..symbol },
                    ));
                }
                None => {}
            }
        }
        let mut symbols = vec![object.symbols[0].clone()];
        let mut symbol_of = BTreeMap::from([(0, 0)]);
        for (old, symbol) in locals.into_iter().chain(others) {
            if let Some(old) = old {
                symbol_of.insert(old, symbols.len());
            }
            symbols.push(symbol);
        }

        for section in &mut sections {
            for relocation in &mut section.relocations {
                relocation.symbol = symbol_of[&relocation.symbol];
            }
            section.link = section_of.get(&section.link).copied().unwrap_or(0);
        }
        Ok(object.with(sections, symbols))
    }

    fn is_crossed_into(&self, section: usize) -> bool {
        self.crossing
            .keys()
            .any(|&symbol| self.object.symbols[symbol].definition == Definition::Section(section))
    }
}

/// Returns a global, hidden symbol with this name for a local symbol.
fn global(object: &Object, symbol: &Symbol, name: &[u8]) -> Symbol {
    let is_thread_local = |section: usize| object.sections[section].flags & u64::from(elf::SHF_TLS) != 0;
    let kind = match (symbol.kind(), symbol.definition) {
        (elf::STT_SECTION, Definition::Section(section)) if is_thread_local(section) => elf::STT_TLS,
        (elf::STT_SECTION, _) => elf::STT_NOTYPE,
        (kind, _) => kind,
    };
    let other = hidden(symbol.other);
    Symbol { name: name.to_vec(), info: elf::STB_GLOBAL << 4 | kind, other, ..symbol.clone() }
}
