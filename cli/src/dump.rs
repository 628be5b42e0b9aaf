//! `statictramp dump PID`: the live trampolines of a running process, found by the ELF note that every linked copy of the
//! library has, also in stripped files.
//!
//! A table that has grown has been mapped again from its file, each time with its slots at the same distance, so every
//! mapping of the stubs' part of the file is a table.

use crate::captured::{Layouts, Memory};
use object::{Object, ObjectSegment, ObjectSymbol, ReadRef, SymbolKind, read::elf::ElfFile64};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

/// A line of /proc/PID/maps that has a file.
struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    executable: bool,
    path: String,
}

/// Where a file has its table, as its note says; addresses as they were linked.
struct Table {
    slots: u64,
    stub_stride: u64,
    slot_stride: u64,
    stubs: u64,
    slots_at: u64,
}

/// A live trampoline.
struct Live {
    slot: u64,
    stub: u64,
    chain: u64,
    entry: u64,
    procedure: u64,
}

/// Prints the live trampolines of a process, with what the procedures have captured for which a file has a layout.
pub fn print(process: &str, layouts: Option<&str>) -> Result<(), String> {
    let read = |file| fs::read_to_string(file).map_err(|e| format!("{file}: {e}"));
    let text = layouts.map_or(Ok(String::new()), read)?;
    let layouts = Layouts::parse(layouts.unwrap_or(""), &text)?;
    let pid: u32 = process.parse().map_err(|_| format!("\"{process}\" is not the number of a process"))?;
    let process = Process::open(pid)?;
    let mut tables = 0;
    for (path, data) in &process.files {
        let Ok(file) = ElfFile64::<object::Endianness>::parse(&**data) else { continue };
        for table in tables_of(&file) {
            for stubs in process.places_of(path, &file, table.stubs) {
                tables += 1;
                process.print_table(path, &table, stubs, &layouts)?;
            }
        }
    }
    if tables == 0 {
        return Err(format!("process {pid} has no table of stubs; it does not use this library"));
    }
    Ok(())
}

struct Process {
    mappings: Vec<Mapping>,
    memory: File,
    /// What is mapped to be executed: contents by path.
    files: BTreeMap<String, Vec<u8>>,
}

impl Process {
    fn open(pid: u32) -> Result<Self, String> {
        let read = |name: &str| format!("/proc/{pid}/{name}");
        let maps = fs::read_to_string(read("maps")).map_err(|e| format!("{}: {e}", read("maps")))?;
        let memory = File::open(read("mem")).map_err(|e| format!("{}: {e}", read("mem")))?;
        let mappings: Vec<Mapping> = maps.lines().filter_map(Mapping::parse).collect();
        let executable = fs::read_link(read("exe")).unwrap_or_default().to_string_lossy().into_owned();
        let mut files = BTreeMap::new();
        for Mapping { path, .. } in mappings.iter().filter(|mapping| mapping.executable) {
            if files.contains_key(path) {
                continue;
            }
            // A deleted executable still opens so; other files by the root that the process sees.
            let place = if path == not_deleted(&executable) { read("exe") } else { read("root") + path };
            if let Ok(data) = fs::read(place) {
                files.insert(path.clone(), data);
            }
        }
        Ok(Process { mappings, memory, files })
    }

    /// Where an address of a file lies in memory: once for each time that part is mapped to be executed.
    fn places_of(&self, path: &str, file: &ElfFile64, address: u64) -> Vec<u64> {
        let segment = file.segments().find(|s| (s.address()..s.address() + s.size()).contains(&address));
        let Some(offset) = segment.map(|s| s.file_range().0 + (address - s.address())) else { return vec![] };
        let covers = |m: &&Mapping| {
            m.executable && m.path == path && (m.offset..m.offset + (m.end - m.start)).contains(&offset)
        };
        self.mappings.iter().filter(covers).map(|m| m.start + (offset - m.offset)).collect()
    }

    fn print_table(
        &self,
        path: &str,
        table: &Table,
        stubs: u64,
        layouts: &Layouts<'_>,
    ) -> Result<(), String> {
        let slots_at = stubs.wrapping_add(table.slots_at.wrapping_sub(table.stubs));
        let mut bytes = vec![0; (table.slots * table.slot_stride) as usize];
        self.memory
            .read_exact_at(&mut bytes, slots_at)
            .map_err(|e| format!("{path}: slots at {slots_at:#x}: {e}"))?;
        let live: Vec<Live> = bytes
            .chunks_exact(table.slot_stride as usize)
            .enumerate()
            .filter_map(|(slot, words)| {
                Live::read(slot as u64, stubs + slot as u64 * table.stub_stride, words)
            })
            .collect();
        println!("{path}: {} of {} stubs from {stubs:#x} on are live", live.len(), table.slots);
        // Many trampolines have one callee; to find a name is to look through a file's symbols.
        let mut names = BTreeMap::new();
        for Live { slot, stub, chain, entry, procedure } in live {
            let mut symbol = |address| names.entry(address).or_insert_with(|| self.symbol(address)).clone();
            print!("  {stub:#x}  slot {slot}  callee {}", named(procedure, symbol(procedure).as_deref()));
            print!("  chain {chain:#x}");
            if entry != procedure {
                print!("  by way of {}", named(entry, symbol(entry).as_deref()));
            }
            println!();
            if let Some(layout) = symbol(procedure).and_then(|symbol| layouts.of(&symbol)) {
                Memory(&self.memory)
                    .print_captured(chain, layout, |address| named(address, symbol(address).as_deref()));
            }
        }
        Ok(())
    }

    /// The function that an address is in, if a symbol says so.
    fn symbol(&self, address: u64) -> Option<String> {
        let mapping = self.mappings.iter().find(|m| (m.start..m.end).contains(&address))?;
        let file = ElfFile64::<object::Endianness>::parse(&**self.files.get(&mapping.path)?).ok()?;
        let offset = mapping.offset + (address - mapping.start);
        let within = |range: (u64, u64)| (range.0..range.0 + range.1).contains(&offset);
        let segment = file.segments().find(|s| within(s.file_range()))?;
        let address = segment.address() + (offset - segment.file_range().0);
        let is_it = |s: &object::read::elf::ElfSymbol64<'_, '_>| {
            s.kind() == SymbolKind::Text
                && s.is_definition()
                && (s.address()..s.address() + s.size().max(1)).contains(&address)
        };
        let symbol = file.symbols().find(is_it).or_else(|| file.dynamic_symbols().find(is_it))?;
        symbol.name().ok().map(str::to_owned)
    }
}

/// An address, with its symbol if it has one.
fn named(address: u64, symbol: Option<&str>) -> String {
    symbol.map_or_else(|| format!("{address:#x}"), |symbol| format!("{address:#x} ({symbol})"))
}

/// A path without what the kernel adds to one that is no more.
fn not_deleted(path: &str) -> &str {
    path.strip_suffix(" (deleted)").unwrap_or(path)
}

impl Mapping {
    /// `start-end rights offset device inode path`, where there is a path.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let executable = fields.next()?.contains('x');
        let offset = fields.next()?;
        let path = fields.nth(2)?.trim_start();
        let path = not_deleted(path);
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        let path = path.starts_with('/').then(|| path.to_owned())?;
        Some(Mapping { start: number(start)?, end: number(end)?, offset: number(offset)?, executable, path })
    }
}

impl Live {
    /// The words as `src/slot.rs` has them: chain, callee, claim (odd while live), a link, procedure.
    fn read(slot: u64, stub: u64, words: &[u8]) -> Option<Self> {
        let word =
            |number: usize| words.get(8 * number..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let live = word(2)? & 1 != 0;
        live.then_some(Live { slot, stub, chain: word(0)?, entry: word(1)?, procedure: word(3)? })
    }
}

/// The tables that a file's notes tell of: one for each copy of the library in it.
fn tables_of(file: &ElfFile64) -> Vec<Table> {
    use object::read::elf::ProgramHeader;
    let endian = file.endian();
    let mut tables = vec![];
    for segment in file.elf_program_headers() {
        if segment.p_type(endian) != object::elf::PT_NOTE {
            continue;
        }
        let (data, address) = (file.data(), segment.p_vaddr(endian));
        let range = (segment.p_offset(endian), segment.p_filesz(endian));
        let Ok(notes) = data.read_bytes_at(range.0, range.1) else { continue };
        // Note headers are looked for, not walked: alignment differs between producers of notes.
        let name = b"statictramp\0";
        let begins = |at: &usize| notes[*at..].starts_with(name) && *at >= 12;
        tables.extend((0..notes.len()).step_by(4).filter(begins).filter_map(|at| {
            let words = notes.get(at + name.len()..at + name.len() + 32)?;
            let half =
                |at: usize| words[at..].first_chunk().map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
            let relative = |at: usize| words[at..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
            let here = address + (at + name.len()) as u64;
            Some(Table {
                slots: half(0)?,
                stub_stride: half(4)?,
                slot_stride: half(8)?,
                stubs: here.wrapping_add(16).wrapping_add(relative(16)?),
                slots_at: here.wrapping_add(24).wrapping_add(relative(24)?),
            })
        }));
    }
    tables
}
