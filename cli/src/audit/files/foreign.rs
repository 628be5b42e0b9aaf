//! PE and Mach-O files, and their requests for an executable stack.
//!
//! - PE: by default, Windows makes the stack of a 32-bit program executable unless the file has NX_COMPAT. GCC's
//!   trampolines do not depend on this: on Windows, libgcc makes a page of the stack executable when needed
//!   (`__enable_execute_stack`).
//! - Mach-O: MH_ALLOW_STACK_EXECUTION requests an executable stack. On Arm, the flag is ignored, and stacks are not
//!   executable.

use super::elf::DETACHED;
use super::facts::{Asks, Facts, Format, Unjudged, WritableCode, Written};
use super::machine::Outside;
use super::wants::Wants;
use crate::audit::code::patterns::{self, Convention, Site};
use crate::audit::input::{Cached, Input};
use crate::audit::table::coff;
use crate::audit::table::macho as apple;
use object::read::ReadRef;
use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};
use object::{
    Architecture, BinaryFormat, FileFlags, FileKind, Object, ObjectKind, ObjectSection, ObjectSegment,
    ObjectSymbol, SectionFlags, SegmentFlags, SymbolKind, macho, pe,
};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

const MOST: usize = 10_000;

/// Returns whether a file that begins with `head` could be a PE, COFF or Mach-O file.
pub fn may_be_one(head: &[u8]) -> bool {
    match head {
        [b'M', b'Z', ..] => true,
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [0xfe, 0xed, 0xfa, 0xcf | 0xce, ..] => true,
        // COFF objects begin with a number that identifies the processor: x86-64, i386, arm64, Arm.
        [0x64, 0x86, ..] | [0x4c, 0x01, ..] | [0x64, 0xaa, ..] | [0xc4, 0x01, ..] => true,
        [0, 0, 0xff, 0xff, ..] => true,
        _ => false,
    }
}

/// Returns whether a file is a universal binary, which contains one program for each of several processors. Java class
/// files have the same magic number, but their next field (here, the number of processors) is a version, at least 45.
pub fn is_fat(head: &[u8]) -> bool {
    const OLDEST_JAVA: u32 = 45;
    let number = head.get(4..).and_then(|it| it.first_chunk()).map(|it| u32::from_be_bytes(*it));
    matches!(head, [0xca, 0xfe, 0xba, 0xbe | 0xbf, ..]) && number.is_some_and(|it| it < OLDEST_JAVA)
}

/// Returns the programs in a universal Mach-O file, one for each architecture.
pub fn fat(input: Input<'_>) -> Vec<Input<'_>> {
    let (cache, last) = (input.cached(), Cell::default());
    let data = Cached::new(&cache, &last);
    let ranges: Vec<(u64, u64)> = match MachOFatFile32::parse(data) {
        Ok(file) => file.arches().iter().map(FatArch::file_range).collect(),
        Err(_) => MachOFatFile64::parse(data)
            .map_or(vec![], |file| file.arches().iter().map(FatArch::file_range).collect()),
    };
    ranges.into_iter().filter_map(|(at, len)| input.part(at, len)).collect()
}

/// Returns the facts about a PE, COFF or Mach-O file, or a description if the file has no code. Returns `None` if the
/// file has a different format.
pub fn facts(input: Input<'_>, wants: &Wants) -> Result<Option<Result<Facts, &'static str>>, String> {
    use FileKind::{Coff, CoffBig, MachO32, MachO64, Pe32, Pe64};
    let (cache, last) = (input.cached(), Cell::default());
    let data = Cached::new(&cache, &last);
    if !matches!(FileKind::parse(data), Ok(Coff | CoffBig | MachO32 | MachO64 | Pe32 | Pe64)) {
        return Ok(None);
    }
    let kind = "PE or Mach-O";
    let file = object::File::parse(data).map_err(|why| format!("invalid {kind} file: {why}"))?;
    if is_detached(&file) {
        return Ok(Some(Err(DETACHED)));
    }
    let facts = one(&file, data, input, wants);
    if input.is_spent() {
        return Err(input.why_unreadable());
    }
    facts.map(|facts| Some(Ok(facts))).map_err(|why| format!("invalid {kind} file: {why}"))
}

/// Returns whether this Windows program or DLL was stripped to its debug information, so that its code sections are
/// empty.
fn is_detached<'data, R: ReadRef<'data>>(file: &object::File<'data, R>) -> bool {
    let is_code = |flags| matches!(flags, SectionFlags::Coff { characteristics } if characteristics & pe::IMAGE_SCN_MEM_EXECUTE != 0);
    let has_bytes = |it: object::Section<'data, '_, R>| it.file_range().is_some_and(|(_, len)| len > 0);
    let mut code = file.sections().filter(|it| is_code(it.flags())).map(has_bytes).peekable();
    file.kind() != ObjectKind::Relocatable && code.peek().is_some() && !code.any(|has| has)
}

fn one<'c, 'a>(
    file: &object::File<'c, Cached<'c, 'a>>,
    data: Cached<'c, 'a>,
    input: Input<'_>,
    wants: &Wants,
) -> Result<Facts, String> {
    let format = if file.format() == BinaryFormat::MachO { Format::MachO } else { Format::Pe };
    let machine = file.architecture();
    let mut facts = Facts::new(format, file.kind() != ObjectKind::Relocatable, machine);
    facts.asks = asks(file, machine);
    if is_for_firmware(file) {
        facts.outside = Some(Outside::Firmware);
        return Ok(facts);
    }
    for segment in file.segments() {
        let both = match segment.flags() {
            // The permissions of an object's single segment have no meaning, because the linker creates the loaded
            // segments.
            SegmentFlags::MachO { initprot, .. } => {
                file.kind() != ObjectKind::Relocatable && initprot & 6 == 6
            }
            _ => false, // a PE file has sections, but no segments
        };
        if both && facts.writable_code.len() < MOST {
            facts.writable_code.push(WritableCode { address: segment.address(), section: None });
        }
    }
    let convention = if format == Format::MachO { Convention::SystemV } else { Convention::Windows };
    let mut found = Vec::new();
    for section in file.sections() {
        let name = section.name().unwrap_or_default();
        if let SectionFlags::Coff { characteristics } = section.flags() {
            let both = pe::IMAGE_SCN_MEM_WRITE | pe::IMAGE_SCN_MEM_EXECUTE;
            if characteristics & both == both && facts.writable_code.len() < MOST {
                let section = Some(name.to_owned());
                facts.writable_code.push(WritableCode { address: file.relative_address_base(), section });
            }
        }
        let executable = section.kind() == object::SectionKind::Text;
        let held = executable || section.kind() == object::SectionKind::ReadOnlyData;
        if !held || !patterns::may_be_in(machine, executable) || found.len() > MOST || wants.quick {
            continue;
        }
        let Some((at, len)) = section.file_range() else { continue };
        input.pieces(at, len, |piece| {
            for site in patterns::search(machine, convention, piece.bytes, executable) {
                if piece.own.contains(&site.offset) {
                    let into = piece.start.wrapping_add(site.offset as u64);
                    found.push((section.address().wrapping_add(into), site));
                }
            }
            found.len() <= MOST
        })?;
    }
    if wants.quick {
        facts.unjudged = Some(Unjudged::Quick);
        return Ok(facts);
    }
    let names = if found.is_empty() { BTreeMap::new() } else { functions(file) };
    facts.writes = found
        .into_iter()
        .take(MOST)
        .map(|(address, site)| {
            let function = names.range(..=address).next_back().map(|(_, name)| name.clone());
            let Site { maker, doubt, .. } = site;
            Written { address, function, source: None, producer: None, maker, doubt }
        })
        .collect();
    facts.tables = if format == Format::MachO { apple::tables(file, data) } else { coff::tables(file, data) };
    if !patterns::known(machine) {
        facts.unjudged = Some(Unjudged::Machine);
    }
    Ok(facts)
}

/// Returns whether a PE file is a program or driver for EFI firmware, according to its subsystem.
fn is_for_firmware<'data, R: ReadRef<'data>>(file: &object::File<'data, R>) -> bool {
    let subsystem = match file {
        object::File::Pe32(file) => file.nt_headers().optional_header.subsystem.get(object::LittleEndian),
        object::File::Pe64(file) => file.nt_headers().optional_header.subsystem.get(object::LittleEndian),
        _ => return false,
    };
    (pe::IMAGE_SUBSYSTEM_EFI_APPLICATION..=pe::IMAGE_SUBSYSTEM_EFI_ROM).contains(&subsystem)
}

/// Returns whether a file requests an executable stack, as far as its format can express this.
fn asks<'data, R: ReadRef<'data>>(file: &object::File<'data, R>, machine: Architecture) -> Asks {
    match file.flags() {
        FileFlags::MachO { flags } if flags & macho::MH_ALLOW_STACK_EXECUTION != 0 => Asks::Yes,
        _ if file.kind() == ObjectKind::Relocatable || file.format() == BinaryFormat::MachO => Asks::No,
        _ => {
            let characteristics = match file {
                object::File::Pe32(file) => {
                    file.nt_headers().optional_header.dll_characteristics.get(object::LittleEndian)
                }
                object::File::Pe64(file) => {
                    file.nt_headers().optional_header.dll_characteristics.get(object::LittleEndian)
                }
                _ => return Asks::No,
            };
            let without = characteristics & pe::IMAGE_DLLCHARACTERISTICS_NX_COMPAT == 0;
            // Windows always protects the stacks of 64-bit programs.
            if without && machine == Architecture::I386 { Asks::SaysNothing } else { Asks::No }
        }
    }
}

/// Returns the names of a file's functions, indexed by address. Returns no names for a stripped file: it contains only
/// some names, and these formats do not record function sizes.
fn functions<'data, R: ReadRef<'data>>(file: &object::File<'data, R>) -> BTreeMap<u64, Arc<str>> {
    let symbols = || file.symbols().filter(|it| it.kind() == SymbolKind::Text && it.is_definition());
    if file.kind() != ObjectKind::Relocatable && !symbols().any(|it| it.is_local()) {
        return BTreeMap::new();
    }
    symbols().filter_map(|it| Some((it.address(), Arc::from(it.name().ok()?)))).collect()
}
