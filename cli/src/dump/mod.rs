//! `statictramp dump PID`: the live trampolines of a running process, found by the ELF note that every linked copy of the
//! library has, also in stripped files.
//!
//! A table that has grown has been mapped again from its file, each time with its slots at the same distance, so every
//! mapping of the stubs' part of the file is a table.
//!
//! The process is not trusted: it may say anything, change while it is read, or end. What it says of counts and sizes is
//! believed up to what the library could have made.

mod captured;
mod maps;
mod names;
mod notes;
mod source;

use crate::out::{Failure, complain, say};
use crate::shown::shown;
use crate::watch;
use captured::{Layouts, Memory};
use maps::Maps;
use names::Names;
use notes::{Image, NotRead, Table, WORDS_OF_SLOT};
use source::{Source, half, word};
use std::collections::BTreeSet;
use std::collections::hash_map::{Entry, HashMap};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

/// What is wanted.
pub struct Wanted<'a> {
    /// The number of a process.
    pub process: &'a OsStr,
    /// A file of layouts.
    pub layouts: Option<&'a OsStr>,
    /// How long it may take.
    pub limit: Duration,
}

/// More is not read of a file of layouts.
const LONGEST_LAYOUTS: u64 = 1 << 24;
/// More tables, and slots in all of them, no process has.
const MOST_TABLES: usize = 1 << 12;
const MOST_SLOTS: u64 = 1 << 24;
/// Bytes of slots that are read at once.
const AT_ONCE: u64 = 1 << 16;

/// Prints the live trampolines of a process, with what the procedures have captured for which a file has a layout.
pub fn print(wanted: &Wanted<'_>) -> Result<(), Failure> {
    let shown_number = shown(wanted.process.as_encoded_bytes());
    let number = wanted.process.to_str().and_then(|number| number.parse::<u32>().ok());
    let number = number
        .ok_or_else(|| Failure::Unusable(format!("\"{shown_number}\" is not the number of a process")))?;
    watch::end_after(wanted.limit, format!("process {number}"));
    let text = wanted.layouts.map_or(Ok(String::new()), layouts).map_err(Failure::Unusable)?;
    let layouts = Layouts::parse(&text).map_err(|why| {
        let file = shown(wanted.layouts.unwrap_or_default().as_encoded_bytes());
        Failure::Unusable(format!("{file}:{why}"))
    })?;
    let process = Process::open(number).map_err(Failure::Unusable)?;
    process.print(&layouts)
}

fn layouts(path: &OsStr) -> Result<String, String> {
    let place = shown(path.as_encoded_bytes());
    let mut text = vec![];
    let file = File::open(path).map_err(|e| format!("{place}: {e}"))?;
    file.take(LONGEST_LAYOUTS + 1).read_to_end(&mut text).map_err(|e| format!("{place}: {e}"))?;
    if text.len() as u64 > LONGEST_LAYOUTS {
        return Err(format!("{place}: more than {LONGEST_LAYOUTS} bytes"));
    }
    String::from_utf8(text).map_err(|_| format!("{place}: not UTF-8"))
}

fn no_memory(number: u32) -> String {
    format!("process {number} has no memory: it has ended, or is one of the kernel's")
}

struct Process {
    number: u32,
    /// `/proc/PID`, by a descriptor: another process that gets the number later is not taken for this one.
    place: PathBuf,
    _held: OwnedFd,
    maps: Maps,
    memory: File,
}

/// A live trampoline.
struct Live {
    slot: u64,
    stub: u64,
    chain: u64,
    entry: u64,
    procedure: u64,
}

impl Process {
    fn open(number: u32) -> Result<Self, String> {
        let said = |name: &str, e: std::io::Error| match e.raw_os_error() {
            Some(libc::ESRCH) => no_memory(number),
            _ => format!("/proc/{number}{name}: {e}"),
        };
        let held = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_PATH | libc::O_DIRECTORY)
            .open(format!("/proc/{number}"))
            .map_err(|e| said("", e))?;
        let place = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
        let maps = File::open(place.join("maps")).map_err(|e| said("/maps", e))?;
        let maps = Maps::read(maps).map_err(|e| format!("/proc/{number}/maps: {e}"))?;
        let memory = File::open(place.join("mem")).map_err(|e| said("/mem", e))?;
        Ok(Process { number, place, _held: held.into(), maps, memory })
    }

    fn print(&self, layouts: &Layouts<'_>) -> Result<(), Failure> {
        let mut images = HashMap::new();
        let mut narrow = false;
        for mapping in self.maps.mappings.iter().filter(|m| m.readable && m.offset == 0) {
            if let Entry::Vacant(place) = images.entry(mapping.file) {
                match Image::at(&self.memory, mapping.start) {
                    Ok(image) => _ = place.insert(image),
                    Err(why) => narrow |= why == NotRead::Narrow,
                }
            }
        }
        let mut printed = Printed { tables: 0, slots: 0, unread: false };
        let mut names = Names::new(&self.place, &self.maps);
        let mut order: Vec<usize> = images.keys().copied().collect();
        order.sort_by_key(|&file| self.maps.files.get(file).map(|file| &file.path));
        for file in order {
            for (table, stubs) in images.get(&file).map_or(vec![], |image| self.tables(file, image)) {
                let symbol = |address| names.of(address, |file| images.get(&file));
                self.print_table(file, &table, stubs, layouts, symbol, &mut printed);
            }
        }
        match printed {
            Printed { unread: true, .. } => {
                Err(Failure::Unusable(format!("process {} has not been read whole", self.number)))
            }
            Printed { tables: 0, .. } => Err(self.has_none(narrow)),
            _ => Ok(()),
        }
    }

    /// Why there is nothing.
    fn has_none(&self, narrow: bool) -> Failure {
        let number = self.number;
        if narrow {
            return Failure::Unusable(format!(
                "process {number} runs a program of 32 bits, which cannot be read"
            ));
        }
        match self.maps.mappings.is_empty() {
            true => Failure::Unusable(no_memory(number)),
            false => Failure::Failed(format!(
                "process {number} has no table of stubs; it does not use this library"
            )),
        }
    }

    /// The tables of a file, and where the stubs of each copy lie in memory: one for each time that part is mapped to be
    /// executed.
    fn tables(&self, file: usize, image: &Image) -> Vec<(Table, u64)> {
        let notes = image.notes(&self.memory);
        let tables: BTreeSet<_> =
            notes.iter().flat_map(|(address, held)| notes::tables(held, *address)).collect();
        let mut found = vec![];
        for table in tables {
            let Some(offset) = image.offset_of(table.stubs) else { continue };
            let copies = self.maps.mappings.iter().filter(|m| {
                m.executable && m.file == file && (m.offset..m.offset + (m.end - m.start)).contains(&offset)
            });
            found.extend(copies.map(|m| (table, m.start + (offset - m.offset))).take(MOST_TABLES));
        }
        found
    }

    fn print_table(
        &self,
        file: usize,
        table: &Table,
        stubs: u64,
        layouts: &Layouts<'_>,
        mut symbol: impl FnMut(u64) -> Option<String>,
        printed: &mut Printed,
    ) {
        let path = self.maps.files.get(file).map_or(String::new(), |file| shown(&file.path));
        if printed.tables >= MOST_TABLES || printed.slots + table.slots > MOST_SLOTS {
            if !printed.unread {
                complain(format_args!("{path}: more tables or slots than any process has"));
            }
            printed.unread = true;
            return;
        }
        printed.tables += 1;
        printed.slots += table.slots;
        let live = match self.live(table, stubs) {
            Ok(live) => live,
            Err(why) => {
                complain(format_args!("{path}: slots at {:#x}: {why}", table.slots_of(stubs)));
                printed.unread = true;
                return;
            }
        };
        say!("{path}: {} of {} stubs from {stubs:#x} on are live", live.len(), table.slots);
        let mut named = |address| match symbol(address) {
            Some(symbol) => (format!("{address:#x} ({symbol})"), Some(symbol)),
            None => (format!("{address:#x}"), None),
        };
        for Live { slot, stub, chain, entry, procedure } in live {
            let (callee, symbol) = named(procedure);
            let way =
                if entry == procedure { String::new() } else { format!("  by way of {}", named(entry).0) };
            say!("  {stub:#x}  slot {slot}  callee {callee}  chain {chain:#x}{way}");
            if let Some(layout) = symbol.and_then(|symbol| layouts.of(&symbol)) {
                let memory = Memory(&self.memory);
                memory
                    .captured(chain, layout, |address| named(address).0)
                    .for_each(|line| say!("    {line}"));
            }
        }
    }

    /// The live trampolines of a table, in the order of their slots.
    fn live(&self, table: &Table, stubs: u64) -> std::io::Result<Vec<Live>> {
        let mut live = vec![];
        let at_once = AT_ONCE / table.slot_stride;
        for first in (0..table.slots).step_by(at_once as usize) {
            let count = at_once.min(table.slots - first);
            let mut bytes = vec![0; (count * table.slot_stride) as usize];
            let place = table.slots_of(stubs).wrapping_add(first * table.slot_stride);
            Source::read(&self.memory, place, &mut bytes)?;
            let slots = (first..).zip(bytes.chunks_exact(table.slot_stride as usize));
            live.extend(slots.filter_map(|(slot, words)| {
                let stub = stubs.wrapping_add(slot * table.stub_stride);
                Live::read(slot, stub, words)
            }));
        }
        Ok(live)
    }
}

/// How much has been printed.
struct Printed {
    tables: usize,
    slots: u64,
    /// Something could not be read, and was told of.
    unread: bool,
}

impl Live {
    /// The words as `src/slot.rs` has them: chain, callee, claim (odd while live), a link, procedure.
    fn read(slot: u64, stub: u64, words: &[u8]) -> Option<Self> {
        let words = words.get(..WORDS_OF_SLOT as usize)?;
        let live = half(words, 16)? & 1 != 0;
        live.then_some(Live {
            slot,
            stub,
            chain: word(words, 0)?,
            entry: word(words, 8)?,
            procedure: word(words, 24)?,
        })
    }
}
