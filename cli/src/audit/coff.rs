//! This library's own table in a file of Windows. No note tells of it: symbols do, as gcc leaves them in a program, else the
//! stubs themselves, each of which leads to its slot.

use super::input::Part;
use super::stub::{self, Isa, Place};
use super::table::{State, Table, decoded};
use object::pe::{IMAGE_SCN_MEM_EXECUTE, IMAGE_SCN_MEM_WRITE};
use object::read::ReadRef;
use object::read::pe::PeFile64;
use object::{Architecture, Object, ObjectKind, ObjectSection, ObjectSymbol, SectionFlags};
use std::collections::BTreeMap;

/// Bytes of a stub; a table of stubs, and one of slots, begins at a multiple of 64.
const STUB: usize = 16;
const BEGINS: u64 = 64;
/// A slot has two words at least.
const SLOT: std::ops::RangeInclusive<u64> = 16..=256;
/// So many stubs tell of a table, and more no table has (`STATICTRAMP_SLOTS`).
const FEWEST: usize = 4;
const MOST_SLOTS: usize = 1 << 20;
const MOST_TABLES: usize = 16;

/// The section of stubs in a file that is still to be linked.
const STUBS: &str = ".text$statictramp";

/// The tables of a file for x86-64, which is the one processor.
pub fn tables<'data, R: ReadRef<'data>>(
    file: &object::File<'data, Part<'_, R>>,
    data: Part<'_, R>,
) -> Vec<Table> {
    if file.architecture() != Architecture::X86_64 {
        return Vec::new();
    }
    if file.kind() == ObjectKind::Relocatable {
        let stubs = file.sections().filter(|section| section.name() == Ok(STUBS));
        let slots = stubs.map(|section| section.size() / STUB as u64).filter(|&slots| slots > 0);
        return slots.take(MOST_TABLES).map(|slots| Table { slots, state: State::NotLinked }).collect();
    }
    let object::File::Pe64(file) = file else { return Vec::new() };
    let mut found = named(file);
    if found.is_empty() {
        found = seen(file);
    }
    found.truncate(MOST_TABLES);
    let state = |it: &Found| whole(file, data, it).unwrap_or_else(State::Broken);
    found.iter().map(|it| Table { slots: it.slots as u64, state: state(it) }).collect()
}

/// A table, and how many slots it has.
struct Found {
    slots: usize,
    place: Place,
}

/// By the symbols `statictramp_VERSION_stubs`, `..._stubs_end`, and the same of slots.
fn named<'data, R: ReadRef<'data>>(file: &PeFile64<'data, R>) -> Vec<Found> {
    let mut copies: BTreeMap<&str, [Option<u64>; 4]> = BTreeMap::new();
    for symbol in file.symbols() {
        let name = symbol.name().ok().and_then(|name| name.strip_prefix("statictramp_"));
        let word = |name: &'data str| {
            let ends = ["_stubs", "_stubs_end", "_slots", "_slots_end"].into_iter().enumerate();
            ends.into_iter().find_map(|(word, end)| Some((word, name.strip_suffix(end)?)))
        };
        if let Some((word, version)) = name.and_then(word) {
            copies.entry(version).or_default()[word] = Some(symbol.address());
        }
    }
    let found = copies.into_values().filter_map(|words| {
        let [stubs, stubs_end, slots, slots_end] = [words[0]?, words[1]?, words[2]?, words[3]?];
        let number = usize::try_from(stubs_end.checked_sub(stubs)?).ok()? / STUB;
        let stride = slots_end.checked_sub(slots)?.checked_div(number as u64)?;
        let place = Place { stubs, stub_stride: STUB, slots, slot_stride: stride as usize };
        (number <= MOST_SLOTS && SLOT.contains(&stride)).then_some(Found { slots: number, place })
    });
    found.collect()
}

/// By code that is that of stubs. One that is none, between others that are, belongs to the table.
fn seen<'data, R: ReadRef<'data>>(file: &PeFile64<'data, R>) -> Vec<Found> {
    let mut found = Vec::new();
    for section in file.sections() {
        let Some(code) =
            (rights(&section) & IMAGE_SCN_MEM_EXECUTE != 0).then(|| section.data().ok()).flatten()
        else {
            continue;
        };
        let slot = |number: usize| {
            let at = section.address().wrapping_add((number * STUB) as u64);
            let stub = stub::decode(Isa::X86_64, code.get(number * STUB..)?.get(..STUB)?, at).ok()?;
            (stub.entry == stub.slot.wrapping_add(8)).then_some(stub.slot)
        };
        let (mut number, mut before) = (0, 0);
        while number < code.len() / STUB && found.len() < MOST_TABLES {
            let some = number;
            number += 1;
            let (Some(one), Some(next)) = (slot(some), slot(some + 1)) else { continue };
            let stride = next.wrapping_sub(one);
            let zeroth = one.wrapping_sub(stride.wrapping_mul(some as u64));
            let slot_of = |it: usize| zeroth.wrapping_add(stride.wrapping_mul(it as u64));
            let its = |&it: &usize| slot(it) == Some(slot_of(it));
            if !SLOT.contains(&stride) || !(some..some + FEWEST).all(|it| its(&it)) {
                continue;
            }
            let end = (some + MOST_SLOTS).min(code.len() / STUB);
            number = (some..end).rev().find(its).map_or(end, |last| last + 1);
            let first = (before.max(number.saturating_sub(MOST_SLOTS))..some).find(its).unwrap_or(some);
            before = number;
            let stubs = section.address().wrapping_add((first * STUB) as u64);
            let place =
                Place { stubs, stub_stride: STUB, slots: slot_of(first), slot_stride: stride as usize };
            found.push(Found { slots: number - first, place });
        }
    }
    found
}

fn rights<'data>(section: &impl ObjectSection<'data>) -> u32 {
    match section.flags() {
        SectionFlags::Coff { characteristics } => {
            characteristics & (IMAGE_SCN_MEM_WRITE | IMAGE_SCN_MEM_EXECUTE)
        }
        _ => 0,
    }
}

fn whole<'data, R: ReadRef<'data>>(
    file: &PeFile64<'data, Part<'_, R>>,
    data: Part<'_, R>,
    found: &Found,
) -> Result<State, String> {
    let Found { slots, ref place } = *found;
    let (len, slots_len) = ((slots * STUB) as u64, (slots * place.slot_stride) as u64);
    let loaded = |address: u64, len: u64| {
        let into = |section: &object::read::pe::PeSection64<'data, '_, _>| {
            let into = address.checked_sub(section.address())?;
            (into.checked_add(len)? <= section.size()).then_some(into)
        };
        file.sections().find_map(|section| into(&section).map(|into| (section, into)))
    };
    let (code, into) = loaded(place.stubs, len).ok_or("its stubs are not all loaded")?;
    let (data_of_slots, _) = loaded(place.slots, slots_len).ok_or("its slots are not all loaded")?;
    if rights(&code) != IMAGE_SCN_MEM_EXECUTE {
        return Err("its stubs are not in a section that is executable and not writable".into());
    }
    if rights(&data_of_slots) != IMAGE_SCN_MEM_WRITE {
        return Err("its slots are not in a section that is writable and not executable".into());
    }
    if place.stubs % BEGINS != 0 || place.slots % BEGINS != 0 {
        return Err(format!("at {:#x}, no table begins: its first stub is missing, or others", place.stubs));
    }
    let blocks = file.data_directories().relocation_blocks(data, &file.section_table());
    let mut blocks = blocks.map_err(|why| why.to_string())?;
    let base = file.relative_address_base();
    while let Some(block) = blocks.as_mut().map_or(Ok(None), |it| it.next()).map_err(|why| why.to_string())? {
        for relocation in block {
            let address = base.wrapping_add(relocation.virtual_address.into());
            // As many bytes are written as an address has.
            let is_in = |start: u64, len: u64| address.wrapping_sub(start).wrapping_add(7) < len + 7;
            if relocation.typ != object::pe::IMAGE_REL_BASED_ABSOLUTE
                && (is_in(place.stubs, len) || is_in(place.slots, slots_len))
            {
                return Err(format!("the loader writes to it, at {address:#x}"));
            }
        }
    }
    let code = code.data().ok().and_then(|code| code.get(into as usize..)?.get(..len as usize));
    decoded(Architecture::X86_64, code.ok_or("its stubs cannot be read")?, place)
}
