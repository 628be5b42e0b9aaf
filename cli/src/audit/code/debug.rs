//! Reads debug information (DWARF 2 to 5): the source line, function and compiler for each code address, and the names
//! of assembly source files.

#[cfg_attr(windows, allow(dead_code))] // used by the code that reads processes
pub mod declared;

use super::assembly::Assembly;
use gimli::{AttributeValue, EndianSlice, RunTimeEndian, SectionId};
use object::read::ReadRef;
use object::read::elf::{ElfFile, FileHeader};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationKind, RelocationTarget,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A code address and, if the file is relocatable, its section.
pub type Address = (Option<usize>, u64);
type Slice<'d> = EndianSlice<'d, RunTimeEndian>;
type Unit<'d> = gimli::Unit<Slice<'d>>;
type Dwarf<'d> = gimli::Dwarf<Slice<'d>>;

/// Maximum total size, in bytes, of the debug sections read from one file. Compressed sections are counted at their
/// decompressed size.
const MOST_BYTES: u64 = 512 << 20;
/// Maximum ratio of a section's decompressed size to its compressed size. The ratio is usually about three. A section
/// that claims a larger ratio is rejected.
const MOST_GROWTH: u64 = 64;
/// Time limit for reading debug information. (Even in a small file, many units can refer to the same long list.)
/// Information that has not been read by then is omitted; the verdict does not depend on it.
const LONGEST: Duration = Duration::from_secs(10);
/// Maximum number of assembly source files to list.
const MOST_NAMES: usize = 32;
const LONGEST_NAME: usize = 4096;
/// Maximum length, in bytes, of a string that is read. This limit exceeds `LONGEST_NAME`, to which names are later
/// truncated, because long types can precede a closure's path in a function name.
const LONGEST_READ: usize = 1 << 20;

/// The debug information found in a file.
#[derive(Default)]
pub struct Debug {
    /// One entry for each requested address.
    pub origins: Vec<Origin>,
    /// Assembly source files.
    pub assembly: Vec<Assembly>,
    /// Whether reading finished within the time limit.
    pub whole: bool,
    /// Whether some units use split DWARF files, which are not read (DWARF 5, 7.3.2).
    pub split: bool,
}

/// The debug information found for an address.
#[derive(Clone, Default)]
pub struct Origin {
    pub function: Option<Arc<str>>,
    /// The path of the closure for which this library's function was instantiated (see [`declared::closure_in`]).
    closure: Option<Arc<str>>,
    /// The source file and the line.
    pub source: Option<Arc<str>>,
    /// The directory that `source` is relative to.
    pub directory: Option<Arc<str>>,
    /// The compiler and its options.
    pub producer: Option<Arc<str>>,
}

impl Debug {
    /// Reads the debug information of a file. Returns `None` if the file has no debug information, or if the debug
    /// sections are invalid or exceed the size limits.
    pub fn of<'data, Elf, R>(file: &ElfFile<'data, Elf, R>, wanted: &[Address]) -> Option<Self>
    where
        Elf: FileHeader<Endian = Endianness>,
        R: ReadRef<'data>,
    {
        Some(Debug::in_sections(&Sections::of(file, MOST_BYTES).ok()??, wanted))
    }

    /// Looks up the addresses in `wanted` in sections that have already been read.
    pub fn in_sections(sections: &Sections<'_>, wanted: &[Address]) -> Self {
        let origins = vec![Origin::default(); wanted.len()];
        let mut answers = Debug { origins, assembly: vec![], whole: false, split: false };
        // The requests are sorted by address, so that a unit's addresses are found quickly.
        let mut asked: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (number, &(section, address)) in wanted.iter().enumerate() {
            let start = section.map_or(0, |section| sections.starts.start(section));
            asked.entry(start.wrapping_add(address)).or_default().push(number);
        }
        // An invalid unit does not affect the other units.
        answers.whole = with_units(sections, |dwarf, unit, end| _ = answers.unit(dwarf, unit, &asked, end));
        answers
    }

    fn unit(
        &mut self,
        dwarf: &Dwarf<'_>,
        unit: &Unit<'_>,
        asked: &BTreeMap<u64, Vec<usize>>,
        end: Instant,
    ) -> gimli::Result<()> {
        self.split |= unit.dwo_name()?.is_some();
        let mut tree = unit.entries_tree(None)?;
        let root = tree.root()?;
        let entry = root.entry();
        let text = |name| entry.attr_value(name).ok().flatten().and_then(|value| text_of(dwarf, unit, value));
        let name = unit.name.map(|name| name.to_string_lossy().into_owned());
        let is_assembly = matches!(
            entry.attr_value(gimli::DW_AT_language)?,
            Some(AttributeValue::Language(gimli::DW_LANG_Mips_Assembler))
        );
        if let Some(name) = name.clone().filter(|_| is_assembly && self.assembly.len() < MOST_NAMES) {
            let producer = text(gimli::DW_AT_producer);
            self.assembly.push(Assembly::new(shortened(name), producer.as_deref()));
        }
        if asked.is_empty() {
            return Ok(());
        }
        let mut inside: BTreeMap<u64, &[usize]> = BTreeMap::new();
        if !ends(dwarf, unit, entry)? {
            return Ok(());
        }
        let mut ranges = dwarf.unit_ranges(unit)?;
        while let Some(range) = ranges.next()? {
            if Instant::now() > end {
                return Ok(());
            }
            if range.begin < range.end {
                inside.extend(asked.range(range.begin..range.end).map(|(&at, numbers)| (at, &numbers[..])));
            }
        }
        if inside.is_empty() {
            return Ok(());
        }
        let producer: Option<Arc<str>> = text(gimli::DW_AT_producer).map(|text| Arc::from(shortened(text)));
        let source: Option<Arc<str>> = name.map(|name| Arc::from(shortened(name)));
        let directory: Option<Arc<str>> = directory_of(unit).map(|name| Arc::from(shortened(name)));
        for &number in inside.values().copied().flatten() {
            self.origins[number].directory.clone_from(&directory);
            self.origins[number].producer.clone_from(&producer);
            self.origins[number].source.clone_from(&source);
        }
        self.functions(dwarf, unit, &inside, end)?;
        self.lines(dwarf, unit, &inside)
    }

    /// Finds the innermost function that contains each address.
    fn functions(
        &mut self,
        dwarf: &Dwarf<'_>,
        unit: &Unit<'_>,
        inside: &BTreeMap<u64, &[usize]>,
        end: Instant,
    ) -> gimli::Result<()> {
        let mut entries = unit.entries();
        while let Some((_, entry)) = entries.next_dfs()? {
            if entry.tag() != gimli::DW_TAG_subprogram || !ends(dwarf, unit, entry)? {
                continue;
            }
            let mut ranges = dwarf.die_ranges(unit, entry)?;
            while let Some(range) = ranges.next()? {
                if Instant::now() > end {
                    return Ok(());
                }
                if range.begin >= range.end || inside.range(range.begin..range.end).next().is_none() {
                    continue;
                }
                let name = entry.attr_value(gimli::DW_AT_name)?.and_then(|value| text_of(dwarf, unit, value));
                let closure: Option<Arc<str>> = name.as_deref().and_then(declared::closure_in).map(Arc::from);
                let name: Option<Arc<str>> = name.map(|name| Arc::from(shortened(name)));
                for &number in inside.range(range.begin..range.end).flat_map(|(_, &numbers)| numbers) {
                    self.origins[number].function.clone_from(&name);
                    self.origins[number].closure.clone_from(&closure);
                }
            }
        }
        Ok(())
    }

    /// Finds the source file and line of each address. Processes the line table row by row, because it may be long.
    fn lines(
        &mut self,
        dwarf: &Dwarf<'_>,
        unit: &Unit<'_>,
        inside: &BTreeMap<u64, &[usize]>,
    ) -> gimli::Result<()> {
        let Some(program) = unit.line_program.clone() else { return Ok(()) };
        let mut rows = program.rows();
        let mut last: Option<(u64, u64, Option<u64>)> = None; // address, file, line
        while let Some((header, row)) = rows.next_row()? {
            if let Some((start, file, line)) = last.filter(|last| last.0 < row.address()) {
                for &number in inside.range(start..row.address()).flat_map(|(_, &numbers)| numbers) {
                    let Some(file) = header.file(file) else { continue };
                    let Some(name) = file_name(dwarf, unit, header, file) else { continue };
                    let line = line.map_or(String::new(), |line| format!(":{line}"));
                    self.origins[number].source = Some(Arc::from(format!("{name}{line}")));
                }
            }
            last = (!row.end_sequence())
                .then(|| (row.address(), row.file_index(), row.line().map(|line| line.get())));
        }
        Ok(())
    }
}

/// Passes each valid unit to `visit` until [`LONGEST`] has elapsed. Returns whether all units were read within this
/// time. An invalid unit header ends the search.
fn with_units(sections: &Sections<'_>, mut visit: impl FnMut(&Dwarf<'_>, &Unit<'_>, Instant)) -> bool {
    let load = |id: SectionId| Ok(EndianSlice::new(sections.get(id), sections.endian));
    let Ok(dwarf) = Dwarf::load(load).map_err(|_: gimli::Error| ()) else { return true };
    let end = Instant::now() + LONGEST;
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().ok().flatten().filter(|_| Instant::now() < end) {
        if let Ok(unit) = dwarf.unit(header) {
            visit(&dwarf, &unit, end);
        }
    }
    Instant::now() < end
}

/// Returns a unit's compilation directory.
fn directory_of(unit: &Unit<'_>) -> Option<String> {
    unit.comp_dir.map(|name| name.to_string_lossy().into_owned())
}

/// Returns the name of a source file. Prepends a relative name's directory, unless it is the unit's directory.
fn file_name<'d>(
    dwarf: &Dwarf<'d>,
    unit: &Unit<'d>,
    header: &gimli::LineProgramHeader<Slice<'d>>,
    file: &gimli::FileEntry<Slice<'d>>,
) -> Option<String> {
    let name = text_of(dwarf, unit, file.path_name())?;
    let directory = file.directory(header).filter(|_| file.directory_index() != 0 && !name.starts_with('/'));
    let directory = directory.and_then(|value| text_of(dwarf, unit, value));
    Some(shortened(directory.map_or(name.clone(), |directory| format!("{directory}/{name}"))))
}

fn text_of<'d>(dwarf: &Dwarf<'d>, unit: &Unit<'d>, value: AttributeValue<Slice<'d>>) -> Option<String> {
    let text = dwarf.attr_string(unit, value).ok()?;
    let text = text.slice();
    Some(String::from_utf8_lossy(text.get(..LONGEST_READ).unwrap_or(text)).into_owned())
}

fn shortened(mut text: String) -> String {
    while text.len() > LONGEST_NAME {
        text.pop();
    }
    text
}

/// The debug sections of a file. In a relocatable file, the debug sections are relocated as if the code sections were
/// contiguous.
pub struct Sections<'data> {
    held: BTreeMap<&'static str, Cow<'data, [u8]>>,
    starts: Starts,
    endian: RunTimeEndian,
}

/// Why a file's debug sections are not returned.
pub enum Unread {
    /// The sections exceed the size limit.
    TooMuch,
    /// The sections are invalid.
    Broken,
}

/// The assumed addresses of code sections.
struct Starts(Vec<(usize, u64)>);

impl Starts {
    fn of<'data, Elf, R>(file: &ElfFile<'data, Elf, R>) -> Self
    where
        Elf: FileHeader<Endian = Endianness>,
        R: ReadRef<'data>,
    {
        let (mut starts, mut next) = (vec![], 0u64);
        let relocatable = file.kind() == object::ObjectKind::Relocatable;
        for section in file.sections().filter(|_| relocatable) {
            if section.kind() == object::SectionKind::Text {
                starts.push((section.index().0, next));
                next = next.wrapping_add(section.size()).next_multiple_of(64);
            }
        }
        Starts(starts)
    }

    fn start(&self, section: usize) -> u64 {
        let found = self.0.binary_search_by_key(&section, |&(section, _)| section);
        found.map_or(0, |at| self.0[at].1)
    }
}

impl<'data> Sections<'data> {
    /// Returns a file's debug sections, or `None` if it has no debug information. Fails if these sections are invalid
    /// or exceed `most` bytes in total.
    pub fn of<Elf, R>(file: &ElfFile<'data, Elf, R>, most: u64) -> Result<Option<Self>, Unread>
    where
        Elf: FileHeader<Endian = Endianness>,
        R: ReadRef<'data>,
    {
        if file.section_by_name(".debug_info").is_none() {
            return Ok(None);
        }
        let endian = match file.endian() {
            Endianness::Little => RunTimeEndian::Little,
            Endianness::Big => RunTimeEndian::Big,
        };
        let mut all = Sections { held: BTreeMap::new(), starts: Starts::of(file), endian };
        let relocatable = file.kind() == object::ObjectKind::Relocatable;
        let mut left = most;
        for id in WANTED {
            let Some(section) = file.section_by_name(id.name()) else { continue };
            let compressed = section.compressed_data().map_err(|_| Unread::Broken)?;
            let size = compressed.uncompressed_size;
            left = left.checked_sub(size).ok_or(Unread::TooMuch)?;
            if size > (compressed.data.len() as u64).saturating_mul(MOST_GROWTH) {
                return Err(Unread::TooMuch);
            }
            let mut bytes = compressed.decompress().map_err(|_| Unread::Broken)?;
            if relocatable {
                all.relocate(file, &section, bytes.to_mut());
            }
            all.held.insert(id.name(), bytes);
        }
        Ok(Some(all))
    }

    fn get(&self, id: SectionId) -> &[u8] {
        self.held.get(id.name()).map_or(&[], |bytes| bytes)
    }

    fn relocate<Elf, R>(
        &self,
        file: &ElfFile<'data, Elf, R>,
        section: &impl ObjectSection<'data>,
        bytes: &mut [u8],
    ) where
        Elf: FileHeader<Endian = Endianness>,
        R: ReadRef<'data>,
    {
        for (offset, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
            let Ok(symbol) = file.symbol_by_index(symbol) else { continue };
            let start = symbol.section_index().map_or(0, |section| self.starts.start(section.0));
            let value = start.wrapping_add(symbol.address()).wrapping_add(relocation.addend() as u64);
            let kind = match (relocation.kind(), relocation.flags()) {
                (RelocationKind::Absolute, _) => (relocation.size(), Change::Set),
                (_, RelocationFlags::Elf { r_type }) if is_riscv(file.architecture()) => match r_type {
                    33..=36 => (8 << (r_type - 33), Change::Add),
                    37..=40 => (8 << (r_type - 37), Change::Subtract),
                    54..=56 => (8 << (r_type - 54), Change::Set),
                    _ => continue,
                },
                _ => continue,
            };
            let (bits, change) = kind;
            let (Ok(at), len) = (usize::try_from(offset), usize::from(bits) / 8) else { continue };
            let Some(origin) = at.checked_add(len).and_then(|end| bytes.get_mut(at..end)) else { continue };
            let little = file.endian() == Endianness::Little;
            let read = |byte: &mut dyn Iterator<Item = u8>| {
                byte.fold(0u64, |value, byte| value << 8 | u64::from(byte))
            };
            let before = if little {
                read(&mut origin.iter().rev().copied())
            } else {
                read(&mut origin.iter().copied())
            };
            let value = match change {
                Change::Set if relocation.has_implicit_addend() => before.wrapping_add(value),
                Change::Set => value,
                Change::Add => before.wrapping_add(value),
                Change::Subtract => before.wrapping_sub(value),
            };
            for (number, byte) in value.to_le_bytes().into_iter().take(len).enumerate() {
                origin[if little { number } else { len - 1 - number }] = byte;
            }
        }
    }
}

enum Change {
    Set,
    Add,
    Subtract,
}

/// Returns false if the sum of an entry's start address (`DW_AT_low_pc`) and length (`DW_AT_high_pc`) overflows. gimli
/// does not check this.
fn ends(
    dwarf: &Dwarf<'_>,
    unit: &Unit<'_>,
    entry: &gimli::DebuggingInformationEntry<'_, '_, Slice<'_>>,
) -> gimli::Result<bool> {
    let (mut begin, mut size) = (0u64, 0u64);
    let mut attributes = entry.attrs();
    while let Some(attribute) = attributes.next()? {
        match (attribute.name(), attribute.value()) {
            (gimli::DW_AT_low_pc, value) => {
                begin = begin.max(dwarf.attr_address(unit, value)?.unwrap_or(0));
            }
            (gimli::DW_AT_high_pc, AttributeValue::Udata(value)) => size = size.max(value),
            _ => {}
        }
    }
    Ok(begin.checked_add(size).is_some())
}

fn is_riscv(machine: object::Architecture) -> bool {
    matches!(machine, object::Architecture::Riscv64 | object::Architecture::Riscv32)
}

const WANTED: [SectionId; 9] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
];
