//! The parts of the library, and the sections that each part reaches.

use crate::Result;
use crate::elf::{Definition, Object, Section, Symbol};
use crate::frames::Frames;
use object::elf;
use std::collections::BTreeSet;

/// A part of the library: functions that a program uses together.
pub struct Part {
    pub name: String,
    pub symbols: Vec<String>,
}

/// Reads the parts from a version script. Each exported function is a part. The functions after a comment `/* part NAME
/// */` form one part: they replace another library's functions, all of which a program must get from the same library.
pub fn named(map: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut is_in_group = false;
    for line in map.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("/* part ").and_then(|rest| rest.strip_suffix(" */")) {
            parts.push(Part { name: name.into(), symbols: Vec::new() });
            is_in_group = true;
        } else if let Some(symbol) = line.strip_suffix(';').filter(|name| !name.contains(['}', '*'])) {
            match parts.last_mut().filter(|_| is_in_group) {
                Some(part) => part.symbols.push(symbol.into()),
                None => parts.push(Part { name: symbol.into(), symbols: vec![symbol.into()] }),
            }
        }
    }
    parts
}

/// The numbers of the parts that reach each section, in the order of the sections. A section that no part reaches is not
/// needed.
pub type Reached = Vec<BTreeSet<usize>>;

/// Returns whether each object needs a copy of a section. This applies to notes and attributes that record how the code
/// was compiled.
pub fn is_in_each(section: &Section) -> bool {
    let states = match section.kind {
        elf::SHT_NOTE | elf::SHT_GNU_ATTRIBUTES => true,
        elf::SHT_ARM_EXIDX => false, // the same number as SHT_X86_64_UNWIND
        elf::SHT_LOPROC..=elf::SHT_HIPROC => true,
        _ => matches!(&*section.name, b".note.GNU-stack" | b".comment"),
    };
    states && section.relocations.is_empty()
}

/// Returns whether a section is needed although no other section refers to it.
fn is_kept(section: &Section) -> bool {
    const RETAIN: u64 = 1 << 21; // SHF_GNU_RETAIN
    matches!(section.kind, elf::SHT_NOTE | elf::SHT_INIT_ARRAY | elf::SHT_FINI_ARRAY | elf::SHT_PREINIT_ARRAY)
        || section.name.starts_with(b".ctors")
        || section.name.starts_with(b".dtors")
        || section.flags & RETAIN != 0
}

/// Returns the sections that each section needs.
fn needs(object: &Object, frames: &Frames) -> Result<Vec<Vec<usize>>> {
    let mut needs = vec![Vec::new(); object.sections.len()];
    for (index, section) in object.sections.iter().enumerate() {
        if frames.are_in(index) {
            continue;
        }
        needs[index].extend(section.relocations.iter().filter_map(|it| object.section_of(it.symbol)));
        if section.link != 0 {
            needs[section.link].push(index); // unwind information follows its function
        }
    }
    for (function, needed) in frames.needs(object) {
        needs[function].push(needed);
    }
    // A kept section follows the variables that its code uses. An example is the constructor that detects the processor's
    // atomic instructions: the functions that read the result need it.
    for (index, section) in object.sections.iter().enumerate() {
        if is_kept(section) && !is_in_each(section) {
            let writable = |&used: &usize| object.sections[used].flags & u64::from(elf::SHF_WRITE) != 0;
            for used in closure(&needs, [index]).into_iter().filter(writable) {
                if used != index {
                    needs[used].push(index);
                }
            }
        }
    }
    Ok(needs)
}

fn closure(needs: &[Vec<usize>], from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut left: Vec<usize> = from.into_iter().collect();
    while let Some(section) = left.pop() {
        if found.insert(section) {
            left.extend(&needs[section]);
        }
    }
    found
}

/// Finds the sections that each part reaches. The section `table` also needs each external symbol that no part reaches:
/// linker scripts and debuggers look for these symbols in any program that has the table.
pub fn reached(object: &Object, parts: &[Part], table: usize, frames: &Frames) -> Result<Reached> {
    let mut needs = needs(object, frames)?;
    let reach = |needs: &[Vec<usize>]| {
        let mut reached = vec![BTreeSet::new(); object.sections.len()];
        for (number, part) in parts.iter().enumerate() {
            for section in closure(needs, part.symbols.iter().filter_map(|name| defined(object, name))) {
                reached[section].insert(number);
            }
        }
        reached
    };
    let first = reach(&needs);
    let external = object.symbols.iter().enumerate().filter(|(_, symbol)| !symbol.is_local());
    let sections = external.filter_map(|(index, _)| object.section_of(index));
    needs[table].extend(sections.filter(|&section| first[section].is_empty()));
    let reached = reach(&needs);
    for part in parts {
        let sections = part.symbols.iter().filter_map(|name| defined(object, name));
        let functions =
            sections.filter(|&section| object.sections[section].flags & u64::from(elf::SHF_EXECINSTR) != 0);
        if functions.map(|section| &reached[section]).collect::<BTreeSet<_>>().len() > 1 {
            return Err(format!("the functions of the part {} would be in several objects", part.name).into());
        }
    }
    Ok(reached)
}

/// Returns the section that defines an external symbol.
pub fn defined(object: &Object, name: &str) -> Option<usize> {
    let is_it = |symbol: &&Symbol| !symbol.is_local() && symbol.name == name.as_bytes();
    match object.symbols.iter().find(is_it)?.definition {
        Definition::Section(section) => Some(section),
        Definition::Undefined | Definition::Absolute => None,
    }
}
