//! This library's own table in a macOS file. Such a file contains no note. The table is found by its symbols in objects
//! and unstripped files, and by the stubs themselves in stripped files. If a slot section belongs to a single table
//! without symbols, its size gives the number of stubs.

use super::fixups;
use super::search::{self, Found, MOST_TABLES};
use super::{State, Table, decoded};
use object::macho::{MH_BUNDLE, SG_READ_ONLY, VM_PROT_EXECUTE, VM_PROT_WRITE};
use object::read::ReadRef;
use object::read::macho::MachOFile64;
use object::{
    Architecture, Endianness, Object, ObjectKind, ObjectSection, ObjectSegment, SectionKind, SegmentFlags,
};
use statictramp_targets::stub::{self, Encoding};
use std::ops::Range;

/// The segment and section names of the section that contains only the slots.
const SLOTS: (&str, &str) = ("__DATA", "__statictramp");

type File<'data, R> = MachOFile64<'data, Endianness, R>;

/// Returns the tables of a file for AArch64 or x86-64.
pub fn tables<'data, R: ReadRef<'data>>(file: &object::File<'data, R>, data: R) -> Vec<Table> {
    let object::File::MachO64(file) = file else { return Vec::new() };
    // The possible distances, in bytes, between consecutive stubs. On x86-64, the distance depends on whether stubs
    // have landing pads.
    let (encoding, strides): (_, &[usize]) = match file.architecture() {
        Architecture::Aarch64 => (Encoding::Aarch64Apple, &[32]),
        Architecture::X86_64 => (Encoding::X86_64, &[16, 32]),
        _ => return Vec::new(),
    };
    let to_be_linked = file.kind() == ObjectKind::Relocatable;
    // In a file that contains only debug information, the sections have no contents.
    let is_bundle = file.macho_header().filetype.get(file.endian()) == MH_BUNDLE;
    if !to_be_linked && !is_bundle && !matches!(file.kind(), ObjectKind::Executable | ObjectKind::Dynamic) {
        return Vec::new();
    }
    let mut found = named(file, data, encoding, strides);
    if to_be_linked {
        let tables = found.iter().take(MOST_TABLES);
        return tables.map(|it| Table { slots: it.slots as u64, state: State::NotLinked }).collect();
    }
    let by_name = found.len();
    seen(file, encoding, strides, &mut found);
    let mut tables = Vec::new();
    for range in slots(file).filter(|range| !range.is_empty()).take(MOST_TABLES) {
        let (by_name, by_stubs) = found.split_at_mut(by_name);
        let is_its = |it: &&mut Found| range.contains(&it.layout.slots);
        let mut its = by_stubs.iter_mut().filter(is_its);
        match (by_name.iter_mut().any(|it| is_its(&it)), its.next(), its.next()) {
            (false, Some(only), None) => fill(only, range),
            (false, None, _) => {
                tables.push(Table { slots: 0, state: State::Broken("there are slots without stubs".into()) })
            }
            _ => {} // several copies
        }
    }
    tables.extend(search::judged(found, |it| whole(file, data, encoding, it)));
    tables
}

/// Returns the address ranges of slot sections.
fn slots<'data, R: ReadRef<'data>>(file: &File<'data, R>) -> impl Iterator<Item = Range<u64>> {
    let is_one = |it: &object::read::macho::MachOSection64<'data, '_, Endianness, R>| {
        it.segment_name() == Ok(Some(SLOTS.0)) && it.name() == Ok(SLOTS.1)
    };
    let sections = file.sections().filter(is_one);
    let ranges: Vec<_> = sections.map(|it| it.address()..it.address().saturating_add(it.size())).collect();
    ranges.into_iter()
}

/// Finds tables by the symbols `_statictramp_VERSION_stubs`, `..._stubs_end` and `..._slots`.
fn named<'data, R: ReadRef<'data>>(
    file: &File<'data, R>,
    data: R,
    encoding: Encoding,
    strides: &[usize],
) -> Vec<Found> {
    let copies = search::named(file, "_statictramp_");
    let found = copies.iter().filter_map(|words| {
        let [stubs, stubs_end, first] = [words[0]?, words[1]?, words[2]?];
        // A table's slots end where those of another version of the library begin, or at the end of the section.
        let section = file
            .sections()
            .find(|it| (it.address()..it.address().saturating_add(it.size())).contains(&first))?;
        let end = section.address().saturating_add(section.size());
        let others = copies.iter().filter_map(|words| words[2]).filter(|&it| it > first);
        let end = others.fold(end, u64::min);
        let code = bytes(file, data, stubs, stubs_end.checked_sub(stubs)?).unwrap_or_default();
        // Chooses the stride with the most valid stubs, because some stubs may be invalid.
        let are_stubs = |&stride: &usize| {
            let all = code.chunks_exact(stride);
            all.filter(|code| stub::decode_filled(encoding, code, 0).is_ok()).count()
        };
        let stride = strides.iter().copied().max_by_key(are_stubs)?;
        Found::between(stubs..stubs_end, stride, first..end)
    });
    found.collect()
}

/// Finds tables by searching code for stubs.
fn seen<'data, R: ReadRef<'data>>(
    file: &File<'data, R>,
    encoding: Encoding,
    strides: &[usize],
    found: &mut Vec<Found>,
) {
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let code = section.data().unwrap_or_default();
        // The section may be less aligned than a table, so the search begins at its first aligned address.
        for &stride in strides {
            let skip = section.address().wrapping_neg() as usize % stride;
            let address = section.address().wrapping_add(skip as u64);
            search::seen(encoding, stride, address, code.get(skip..).unwrap_or_default(), found);
        }
    }
}

/// If a slot section belongs to a single table, adds the stubs missing at the table's beginning and end, so that it has
/// as many stubs as slots.
fn fill(found: &mut Found, section: Range<u64>) {
    let stride = found.layout.slot_stride as u64;
    let before = (found.layout.slots - section.start) / stride;
    found.layout.slots -= before * stride;
    found.layout.stubs =
        found.layout.stubs.wrapping_sub(before.wrapping_mul(found.layout.stub_stride as u64));
    found.slots = ((section.end - found.layout.slots) / stride) as usize;
}

/// Returns the file's bytes from an address onwards.
fn bytes<'data, R: ReadRef<'data>>(
    file: &File<'data, R>,
    data: R,
    address: u64,
    len: u64,
) -> Option<&'data [u8]> {
    let at = file.segments().find_map(|it| {
        let into = address.checked_sub(it.address())?;
        let (at, held) = it.file_range();
        (into.checked_add(len)? <= held).then(|| at.checked_add(into))
    });
    data.read_bytes_at(at??, len).ok()
}

fn whole<'data, R: ReadRef<'data>>(
    file: &File<'data, R>,
    data: R,
    encoding: Encoding,
    found: &Found,
) -> Result<State, String> {
    // Returns a segment's permissions after loading.
    let rights = |address: u64, len: u64| {
        let is_in = |it: &object::read::macho::MachOSegment64<'data, '_, Endianness, _>| {
            let into = address.checked_sub(it.address())?;
            (into.checked_add(len)? <= it.size()).then_some(())
        };
        let segment = file.segments().find(|it| is_in(it).is_some())?;
        let SegmentFlags::MachO { flags, initprot, .. } = segment.flags() else { return None };
        let kept = if flags & SG_READ_ONLY != 0 { !VM_PROT_WRITE } else { u32::MAX };
        Some(initprot & kept & (VM_PROT_WRITE | VM_PROT_EXECUTE))
    };
    let of_stubs =
        rights(found.layout.stubs, found.stubs_len()).ok_or("its stubs are not all in one segment")?;
    let of_slots =
        rights(found.layout.slots, found.slots_len()).ok_or("its slots are not all in one segment")?;
    if of_stubs != VM_PROT_EXECUTE {
        return Err("its stubs are not in an executable, non-writable segment".into());
    }
    if of_slots != VM_PROT_WRITE {
        return Err("its slots are not in a writable, non-executable segment".into());
    }
    found.begins()?;
    fixups::none(file, data, found)?;
    let code = bytes(file, data, found.layout.stubs, found.stubs_len());
    decoded(&[encoding], code.ok_or("its stubs cannot be read")?, &found.layout)
}
