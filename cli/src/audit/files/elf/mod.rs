//! ELF files: the stack flag, and code that writes trampolines.
//!
//! The headers of every file are read. The code is read in chunks, unless `--quick` is given or the stack note has no
//! meaning for the file. Symbols, debug information and this library's table are read only if the user requests details
//! or the report may need them.
//!
//! - `linked.rs`, `relocatable.rs`: the two kinds of files; `details.rs`: symbols and debug information; `hardening.rs`:
//!   properties for `--hardening`; `sections.rs`: invalid section headers.

mod details;
mod hardening;
mod linked;
mod relocatable;
mod sections;

use super::facts::{Asks, Facts, Format, Unjudged, WritableCode};
use super::machine::{self, Outside};
use super::wants::Wants;
use crate::audit::code::patterns::{self, Site};
use crate::audit::input::{Cached, Input};
use object::elf;
use object::read::elf::{ElfFile, FileHeader, ProgramHeader, SectionHeader, SectionTable};
use object::{Architecture, Endian, Endianness};
use sections::WithoutSections;
use std::cell::Cell;

/// Maximum number of findings of one kind in a file. Further findings are ignored.
const MOST: usize = 10_000;
/// Maximum length of build attributes in bytes.
const LONGEST_ATTRIBUTES: u64 = 1 << 16;

const DUMP: &str = "a core dump, not a program";
pub const DETACHED: &str = "debug information only, without code";

/// Code that writes a trampoline: its section (in a relocatable file), its address, and the pattern that matched.
type Found = (Option<usize>, u64, Site);

/// Returns the facts about an ELF file of either class or, if the file has no code, a description of it. If the section
/// headers of a linked file are invalid, the facts are collected from its segments, which are all that the kernel and
/// the dynamic linker read.
pub fn facts(input: Input<'_>, wants: &Wants, details: bool) -> Result<Result<Facts, &'static str>, String> {
    let facts = match of_class(input, wants, details) {
        Err(Invalid::Sections) => {
            let without = WithoutSections::of(input).ok_or_else(|| input.why_unreadable())?;
            of_class(input.with_bytes(&without), wants, details)
                .map(|facts| facts.map(|facts| Facts { has_invalid_sections: true, ..facts }))
        }
        facts => facts,
    };
    if input.is_spent() {
        return Err(input.why_unreadable());
    }
    facts.map_err(|why| match why {
        Invalid::Sections => "invalid ELF file: its section headers are invalid".to_owned(),
        Invalid::Other(why) => format!("invalid ELF file: {why}"),
    })
}

fn of_class(input: Input<'_>, wants: &Wants, details: bool) -> Result<Result<Facts, &'static str>, Invalid> {
    let mut class = [0; 5];
    input.fill(0, &mut class).map_err(|()| Invalid::Other("its header is incomplete".into()))?;
    match class[4] {
        2 => of::<elf::FileHeader64<Endianness>>(input, wants, details),
        _ => of::<elf::FileHeader32<Endianness>>(input, wants, details),
    }
}

/// The invalid part of a file.
enum Invalid {
    /// The section headers of a linked file.
    Sections,
    Other(String),
}

impl From<String> for Invalid {
    fn from(why: String) -> Self {
        Invalid::Other(why)
    }
}

struct File<'c, 'a, Elf: FileHeader<Endian = Endianness>> {
    header: &'c Elf,
    segments: &'c [Elf::ProgramHeader],
    sections: SectionTable<'c, Elf, Cached<'c, 'a>>,
    data: Cached<'c, 'a>,
    input: Input<'a>,
    endian: Endianness,
    facts: Facts,
    found: Vec<Found>,
    /// Whether notes or section names mention this library.
    has_table: bool,
}

fn of<Elf>(input: Input<'_>, wants: &Wants, details: bool) -> Result<Result<Facts, &'static str>, Invalid>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let (cache, last) = (input.cached(), Cell::default());
    let data = Cached::new(&cache, &last);
    let header = Elf::parse(data).map_err(|error| error.to_string())?;
    let endian = header.endian().map_err(|error| error.to_string())?;
    let linked = match header.e_type(endian) {
        elf::ET_CORE => return Ok(Err(DUMP)),
        kind => kind != elf::ET_REL,
    };
    let segments = header.program_headers(endian, data).map_err(|error| error.to_string())?;
    let number = header.e_machine(endian);
    let mut facts = Facts::new(Format::Elf, linked, machine::of_elf(number, header.is_class_64()));
    facts.has_system = linked && segments.iter().any(|it| it.p_type(endian) == elf::PT_INTERP);
    facts.outside = machine::outside(number);
    if linked {
        let mut wide_entry_size = [0; 2];
        input.fill(0x36, &mut wide_entry_size).map_err(|()| input.why_unreadable())?;
        let wide_entry_size = endian.read_u16(u16::from_ne_bytes(wide_entry_size));
        if machine::contradicts_class(number, header.is_class_64(), wide_entry_size) {
            return Err(Invalid::Other("its class contradicts its processor".into()));
        }
    }
    if !wants.takes(facts.machine) {
        return Ok(Ok(facts)); // the caller omits the file
    }
    let sections = if linked && wants.quick {
        SectionTable::default()
    } else {
        match header.sections(endian, data) {
            Ok(sections) if !linked || sections::are_valid(&sections, endian, input.len()) => sections,
            Err(error) if !linked => return Err(error.to_string().into()),
            _ => return Err(Invalid::Sections),
        }
    };
    let mut all =
        File { header, segments, sections, data, input, endian, facts, found: Vec::new(), has_table: false };
    if linked && all.is_detached() {
        return Ok(Err(DETACHED));
    }
    let mut bind_now = None;
    if linked {
        bind_now = all.linked(wants)?;
    } else {
        all.relocatable(wants)?
    }
    if wants.hardening {
        all.facts.hardening = Some(all.hardening(bind_now));
    }
    let facts = &all.facts;
    let is_reported = !all.found.is_empty()
        || facts.asks != Asks::No
        || facts.text_relocations
        || !facts.writable_code.is_empty()
        || all.has_table
        || !facts.calls.is_empty();
    let is_searched = !wants.quick && (facts.outside.is_none() || all.has_table);
    if is_searched && (details || is_reported || all.mentions_trampolines()?) {
        match ElfFile::<Elf, Cached<'_, '_>>::parse(data) {
            Ok(file) => all.details(&file),
            Err(_) if linked && !all.sections.is_empty() => return Err(Invalid::Sections),
            Err(error) => return Err(error.to_string().into()),
        }
    }
    if wants.quick {
        all.facts.unjudged.get_or_insert(Unjudged::Quick);
    } else if !patterns::known(all.facts.machine) {
        all.facts.unjudged.get_or_insert(Unjudged::Machine);
    }
    Ok(Ok(all.facts))
}

impl<'c, 'a, Elf: FileHeader<Endian = Endianness>> File<'c, 'a, Elf> {
    fn writable_section(&mut self, flags: u64, name: &[u8], address: u64) {
        let all = u64::from(elf::SHF_ALLOC | elf::SHF_WRITE | elf::SHF_EXECINSTR);
        if flags & all == all && self.facts.writable_code.len() < MOST {
            self.facts
                .writable_code
                .push(WritableCode { address, section: Some(String::from_utf8_lossy(name).into_owned()) });
        }
    }

    /// Reads the build attributes of an Arm file.
    fn attributes(&mut self, section: &Elf::SectionHeader) {
        let is_loaded = || self.segments.iter().any(|it| it.p_type(self.endian) == elf::PT_DYNAMIC);
        let is_wanted = self.facts.machine == Architecture::Arm
            && !self.facts.has_system
            && !is_loaded()
            && section.sh_type(self.endian) == elf::SHT_ARM_ATTRIBUTES
            && section.sh_size(self.endian).into() <= LONGEST_ATTRIBUTES;
        if is_wanted
            && let Ok(bytes) = section.data(self.endian, self.data)
            && machine::is_bare_arm(bytes)
        {
            self.facts.outside.get_or_insert(Outside::Firmware);
        }
    }

    /// Reads the processor features that all code in the file supports (GNU_PROPERTY_..._FEATURE_1_AND), and records
    /// whether a note names the operating system.
    fn properties(&mut self, mut notes: object::read::elf::NoteIterator<'c, Elf>) {
        while let Ok(Some(note)) = notes.next() {
            if note.name() != elf::ELF_NOTE_GNU {
                continue;
            }
            self.facts.has_system |= note.n_type(self.endian) == elf::NT_GNU_ABI_TAG;
            if note.n_type(self.endian) != elf::NT_GNU_PROPERTY_TYPE_0 {
                continue;
            }
            let Some(mut properties) = note.gnu_properties(self.endian) else { continue };
            while let Ok(Some(property)) = properties.next() {
                if [0xc000_0000, 0xc000_0002].contains(&property.pr_type()) {
                    self.facts.protection.features = property.data_u32(self.endian).ok();
                }
            }
        }
    }
}
