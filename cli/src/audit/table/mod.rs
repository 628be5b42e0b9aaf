//! This library's own table in a file: its presence and integrity.

pub mod coff;
mod fixups;
pub mod macho;
mod search;

use crate::image::notes;
use object::read::ReadRef;
use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSection, elf};
use statictramp_targets::stub::{self, Encoding, Layout, Protection};

/// A table of stubs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    pub slots: u64,
    pub state: State,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// Stub i reads only slot i, code is not writable, and slots are not executable.
    Whole(Protection),
    /// The table is in a relocatable file, so its addresses are unknown.
    NotLinked,
    /// The tool cannot decode stubs for this processor.
    NotDecoded,
    /// The table is invalid.
    Broken(String),
}

pub const NOTE: &str = ".note.statictramp";
/// Maximum size in bytes of a note section.
const LONGEST_NOTES: u64 = 1 << 20;
const MOST_TABLES: usize = 16;

/// Returns the tables that a linked file's notes describe.
pub fn of_linked<'data, Elf, R>(file: &ElfFile<'data, Elf, R>, data: impl ReadRef<'data>) -> Vec<Table>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let endian = file.endian();
    let mut found = Vec::new();
    let mask = if file.is_64() { u64::MAX } else { u32::MAX.into() };
    for header in file.elf_program_headers() {
        if header.p_type(endian) == elf::PT_NOTE && header.p_filesz(endian).into() <= LONGEST_NOTES {
            let notes = header.data(endian, data).unwrap_or_default();
            found.extend(notes::all_tables(notes, header.p_vaddr(endian).into(), mask, endian));
        }
    }
    // In bare-metal programs the note is not loaded.
    if let Some(section) = file.section_by_name(NOTE).filter(|section| section.size() <= LONGEST_NOTES) {
        found.extend(notes::all_tables(section.data().unwrap_or_default(), section.address(), mask, endian));
    }
    found.sort();
    found.dedup();
    found.truncate(MOST_TABLES);
    found.iter().map(|table| Table { slots: table.slots, state: state(file, data, table) }).collect()
}

/// Returns the tables of a relocatable file.
pub fn of_object<'data, Elf, R>(file: &ElfFile<'data, Elf, R>) -> Vec<Table>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let section = file.section_by_name(NOTE).filter(|section| section.size() <= LONGEST_NOTES);
    let notes = section.and_then(|section| section.data().ok()).unwrap_or_default();
    let tables = notes::all_tables(notes, 0, u64::MAX, file.endian()).into_iter().take(MOST_TABLES);
    tables.map(|table| Table { slots: table.slots, state: State::NotLinked }).collect()
}

fn state<'data, Elf, R>(
    file: &ElfFile<'data, Elf, R>,
    data: impl ReadRef<'data>,
    table: &notes::Table,
) -> State
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    match whole(file, data, table) {
        Ok(state) => state,
        Err(why) => State::Broken(why),
    }
}

fn whole<'data, Elf, R>(
    file: &ElfFile<'data, Elf, R>,
    data: impl ReadRef<'data>,
    table: &notes::Table,
) -> Result<State, String>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let endian = file.endian();
    let len = table.slots.saturating_mul(table.stub_stride);
    let loaded = |address: u64, len: u64, in_file: bool| {
        file.elf_program_headers().iter().filter(|it| it.p_type(endian) == elf::PT_LOAD).find_map(|it| {
            let into = address.checked_sub(it.p_vaddr(endian).into())?;
            let size: u64 = if in_file { it.p_filesz(endian).into() } else { it.p_memsz(endian).into() };
            (into.checked_add(len)? <= size).then_some((it, into))
        })
    };
    let (code, into) =
        loaded(table.stubs, len, true).ok_or("its stubs are not all in one loadable segment")?;
    let slots_len = table.slots.saturating_mul(table.slot_stride);
    let (slots, _) =
        loaded(table.slots_at, slots_len, false).ok_or("its slots are not all in one loadable segment")?;
    let rights = |header: &Elf::ProgramHeader| header.p_flags(endian) & (elf::PF_W | elf::PF_X);
    if rights(code) != elf::PF_X {
        return Err("its stubs are not in an executable, non-writable segment".into());
    }
    if rights(slots) != elf::PF_W {
        return Err("its slots are not in a writable, non-executable segment".into());
    }
    for (address, _) in file.dynamic_relocations().into_iter().flatten() {
        let is_in = |start: u64, len: u64| address.checked_sub(start).is_some_and(|into| into < len);
        if is_in(table.stubs, len) || is_in(table.slots_at, slots_len) {
            return Err(format!("the loader writes to it, at {address:#x}"));
        }
    }
    let at =
        code.p_offset(endian).into().checked_add(into).ok_or("its stubs are beyond the end of the file")?;
    let code = data.read_bytes_at(at, len).map_err(|()| "its stubs cannot be read")?;
    let layout = Layout {
        stubs: table.stubs,
        stub_stride: table.stub_stride as usize,
        slots: table.slots_at,
        slot_stride: table.slot_stride as usize,
    };
    let header = file.elf_header();
    let encodings = Encoding::of(header.e_machine(endian), header.is_class_64(), layout.stub_stride);
    decoded(encodings, code, &layout)
}

/// Checks the stubs of a table whose addresses are known. All stubs must have the same encoding, one of `encodings`.
pub fn decoded(encodings: &[Encoding], code: &[u8], layout: &Layout) -> Result<State, String> {
    let tried: Vec<_> = encodings.iter().map(|&it| stub::check(it, code, layout)).collect();
    if let Some(protection) = tried.iter().find_map(|tried| tried.ok()) {
        return Ok(State::Whole(protection));
    }
    // If several encodings are possible, reports the error for the one that matched the most stubs.
    match tried.into_iter().filter_map(Result::err).max_by_key(|broken| broken.stub) {
        None => Ok(State::NotDecoded),
        Some(broken) => {
            let at = layout.stubs.wrapping_add((broken.stub * layout.stub_stride) as u64);
            Err(format!("stub {} (at {at:#x}): {}", broken.stub, broken.why))
        }
    }
}
