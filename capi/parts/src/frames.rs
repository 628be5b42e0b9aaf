//! Unwind information: `.eh_frame` and `.debug_frame`. Both consist of entries of two kinds. A CIE contains data common
//! to several functions; an FDE describes one function, and refers to a CIE.

use crate::Result;
use crate::elf::{Object, Relocation, Section};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The entries of all sections with unwind information.
pub struct Frames {
    entries: BTreeMap<usize, Vec<Entry>>,
}

struct Entry {
    range: Range<u64>,
    /// For an FDE, the offset of its CIE, and the section that contains its function.
    of: Option<(u64, usize)>,
}

/// Offsets in an entry, whose length is less than 4 GB: the second word, and an FDE's third word.
const ID: u64 = 4;
const FUNCTION: u64 = 8;

fn is_eh_frame(section: &Section) -> bool {
    section.name == b".eh_frame"
}

impl Frames {
    pub fn read(object: &Object) -> Result<Self> {
        let mut entries = BTreeMap::new();
        for (index, section) in object.sections.iter().enumerate() {
            if is_eh_frame(section) || section.name == b".debug_frame" {
                entries.insert(index, read_section(object, index)?);
            }
        }
        Ok(Self { entries })
    }

    pub fn are_in(&self, section: usize) -> bool {
        self.entries.contains_key(&section)
    }

    /// Pairs of a function's section and a section that its unwind information needs.
    pub fn needs(&self, object: &Object) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (&section, entries) in &self.entries {
            for entry in entries {
                let Some((cie, function)) = entry.of else { continue };
                let common = entries.iter().filter(|other| other.range.start == cie);
                for part in common.chain([entry]) {
                    let relocations = within(&object.sections[section], &part.range);
                    let needed = relocations.filter_map(|relocation| object.section_of(relocation.symbol));
                    pairs.extend(
                        needed.filter(|&it| it != section && it != function).map(|it| (function, it)),
                    );
                }
            }
        }
        pairs
    }

    /// Selects a section's entries for the functions in some sections. Returns the new section, if it has any entry,
    /// and the new offset of each entry. The relocations still contain the symbols of `object`.
    pub fn of(
        &self,
        object: &Object,
        section: usize,
        functions: &BTreeSet<usize>,
    ) -> Option<(Section, Moved)> {
        let old = &object.sections[section];
        let entries = &self.entries[&section];
        let is_of = |entry: &&Entry| entry.of.is_some_and(|(_, function)| functions.contains(&function));
        let cies: BTreeSet<u64> =
            entries.iter().filter(is_of).filter_map(|it| it.of).map(|(cie, _)| cie).collect();
        let kept = |entry: &&Entry| cies.contains(&entry.range.start) || is_of(entry);
        let mut new = Section { data: Vec::new(), relocations: Vec::new(), ..old.clone() };
        let mut moved = Moved(Vec::new());
        for entry in entries.iter().filter(kept) {
            let start = new.data.len() as u64;
            moved.0.push((entry.range.clone(), start));
            new.data.extend(&old.data[entry.range.start as usize..entry.range.end as usize]);
            for relocation in within(old, &entry.range) {
                let offset = relocation.offset - entry.range.start + start;
                new.relocations.push(Relocation { offset, ..relocation.clone() });
            }
        }
        for (range, start) in &moved.0 {
            let entry = entries.iter().find(|entry| entry.range == *range)?;
            let Some((cie, _)) = entry.of else { continue };
            let id = start + ID;
            let cie = moved.offset(cie)?;
            if is_eh_frame(old) {
                object.set_word(&mut new.data, id as usize, (id - cie) as u32);
                continue;
            }
            // In .debug_frame, the pointer to the CIE is an offset in the section. The relocation has the section's symbol.
            let relocation = new.relocations.iter_mut().find(|relocation| relocation.offset == id);
            match relocation {
                Some(relocation) if old.has_addends => relocation.addend = cie as i64,
                _ => object.set_word(&mut new.data, id as usize, cie as u32),
            }
        }
        (!new.data.is_empty()).then_some((new, moved))
    }
}

/// The positions of entries in a new section.
pub struct Moved(Vec<(Range<u64>, u64)>);

impl Moved {
    pub fn offset(&self, old: u64) -> Option<u64> {
        let (range, start) = self.0.iter().find(|(range, _)| range.contains(&old))?;
        Some(old - range.start + start)
    }
}

fn within<'a>(section: &'a Section, range: &Range<u64>) -> impl Iterator<Item = &'a Relocation> {
    let range = range.clone();
    section.relocations.iter().filter(move |relocation| range.contains(&relocation.offset))
}

fn read_section(object: &Object, index: usize) -> Result<Vec<Entry>> {
    let section = &object.sections[index];
    let mut entries: Vec<Entry> = Vec::new();
    let mut start = 0;
    while start < section.data.len() as u64 {
        let length = object.word(&section.data, start as usize)?;
        let range = start..start + 4 + u64::from(length);
        start = range.end;
        if length == 0 {
            continue; // marks the end of the section of one compiled file
        }
        if length == u32::MAX || range.end > section.data.len() as u64 {
            return Err("an entry of the unwind information is too long".into());
        }
        let id = object.word(&section.data, (range.start + ID) as usize)?;
        let is_cie = if is_eh_frame(section) { id == 0 } else { id == u32::MAX };
        if is_cie {
            entries.push(Entry { range, of: None });
            continue;
        }
        let at = |offset| section.relocations.iter().filter(move |it| it.offset == range.start + offset);
        let pointer = at(ID).next();
        let cie = match pointer {
            _ if is_eh_frame(section) => (range.start + ID).wrapping_sub(id.into()),
            Some(pointer) if object.symbols[pointer.symbol].value != 0 => {
                return Err("unwind information refers to a CIE by a symbol".into());
            }
            Some(pointer) if section.has_addends => pointer.addend as u64,
            _ => id.into(),
        };
        if !entries.iter().any(|entry| entry.of.is_none() && entry.range.start == cie) {
            return Err("unwind information refers to a CIE that does not exist".into());
        }
        // An address relative to its own position is the difference of two symbols on some processors.
        let function = at(FUNCTION).filter_map(|it| object.section_of(it.symbol)).find(|&of| of != index);
        let function = function.ok_or("unwind information refers to no function")?;
        entries.push(Entry { range, of: Some((cie, function)) });
    }
    Ok(entries)
}
