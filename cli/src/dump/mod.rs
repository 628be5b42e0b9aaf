//! `statictramp dump PID`: the live trampolines of a running process, found through the ELF note of each linked copy of
//! the library, even in stripped files.
//!
//! When a table grows, the file that contains the stubs is mapped again, with the slots at the same distance from the
//! stubs. Every mapping of stubs from the file is therefore treated as a table.
//!
//! The process is not trusted: its memory may contain anything, and it may change or exit while its memory is being
//! read. Counts and sizes from its memory are accepted only up to fixed limits.

pub mod budget;
pub mod captured;
pub mod closures;
mod derived;
mod images;
mod names;
mod signed;
pub mod symbols;

use crate::image::maps::{Mapping, Maps};
use crate::image::notes::{self, Table, WORDS_OF_SLOT};
use crate::image::source::{Source, half, word};
use crate::out::{Failure, complain, say};
use crate::shown::shown;
use crate::watch;
use captured::{Layouts, Memory};
use clap::ArgMatches;
use closures::Closures;
use images::Images;
use names::{Name, Names};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::collections::hash_map::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// Maximum size of a layout file in bytes.
const LONGEST_LAYOUTS: u64 = 1 << 24;
/// Maximum number of tables in a process, and maximum number of slots in all tables.
const MOST_TABLES: usize = 1 << 12;
const MOST_SLOTS: u64 = 1 << 24;
/// Once this many callees have been found, no source locations are looked up for further tables.
const MOST_CALLEES: usize = 1 << 12;
/// The number of slot bytes to read at a time.
const MOST_READ: u64 = 1 << 16;

/// Prints the live trampolines of a process and, for each procedure described in the layout file, the captured
/// variables.
pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let process = matches.get_one::<OsString>("pid").map_or_else(Default::default, |pid| pid.as_os_str());
    let file = matches.get_one::<PathBuf>("layout").map(|file| file.as_os_str());
    let limit = Duration::from_secs(matches.get_one::<u32>("seconds").copied().unwrap_or(60).into());
    let shown_number = shown(process.as_encoded_bytes());
    let number = process.to_str().and_then(|number| number.parse::<u32>().ok());
    let number =
        number.ok_or_else(|| Failure::Unusable(format!("\"{shown_number}\" is not a process ID")))?;
    watch::end_after(limit, format!("process {number}"));
    let text = file.map_or(Ok(String::new()), layouts).map_err(Failure::Unusable)?;
    let layouts = Layouts::parse(&text).map_err(|why| {
        let file = shown(file.unwrap_or_default().as_encoded_bytes());
        Failure::Unusable(format!("{file}:{why}"))
    })?;
    let process = Process::open(number).map_err(Failure::Unusable)?;
    process.print(&layouts, matches.get_flag("json"))
}

fn layouts(path: &OsStr) -> Result<String, String> {
    let name = shown(path.as_encoded_bytes());
    let mut text = vec![];
    let file = File::open(path).map_err(|e| format!("{name}: {e}"))?;
    file.take(LONGEST_LAYOUTS + 1).read_to_end(&mut text).map_err(|e| format!("{name}: {e}"))?;
    if text.len() as u64 > LONGEST_LAYOUTS {
        return Err(format!("{name}: a layout file can be at most {LONGEST_LAYOUTS} bytes long"));
    }
    String::from_utf8(text).map_err(|_| format!("{name}: not UTF-8"))
}

/// Reads a process's memory through the open file `/proc/PID/mem`.
impl Source for File {
    fn read(&self, address: u64, bytes: &mut [u8]) -> std::io::Result<()> {
        self.read_exact_at(bytes, address)
    }
}

fn no_memory(number: u32) -> String {
    format!("process {number} has no memory: it has exited, or is a kernel thread")
}

struct Process {
    number: u32,
    /// A path to `/proc/PID` through an open descriptor. The descriptor stays open, so that the path never refers to a
    /// later process with the same ID.
    directory: PathBuf,
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
    callee: u64,
}

impl Process {
    fn open(number: u32) -> Result<Self, String> {
        let error = |name: &str, e: std::io::Error| match e.raw_os_error() {
            Some(libc::ESRCH) => no_memory(number),
            _ => format!("/proc/{number}{name}: {e}"),
        };
        let held = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_PATH | libc::O_DIRECTORY)
            .open(format!("/proc/{number}"))
            .map_err(|e| error("", e))?;
        let directory = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
        let maps = File::open(directory.join("maps")).map_err(|e| error("/maps", e))?;
        let maps = Maps::read(maps).map_err(|e| format!("/proc/{number}/maps: {e}"))?;
        let memory = File::open(directory.join("mem")).map_err(|e| error("/mem", e))?;
        Ok(Process { number, directory, _held: held.into(), maps, memory })
    }

    fn print(&self, layouts: &Layouts<'_>, json: bool) -> Result<(), Failure> {
        let images = Images::of(&self.memory, &self.maps);
        let (tables, whole) = self.tables(&images);
        let mut printed = Printed { tables: 0, unread: !whole, json, open: false };
        let closures = Closures::of(&self.memory, images.all());
        let mut names = Names::new(&self.directory, &self.maps, closures);
        let mut callees = BTreeSet::new();
        for Copy { table, stubs, .. } in &tables {
            if callees.len() < MOST_CALLEES {
                callees.extend(self.live(table, *stubs).into_iter().flatten().map(|live| live.callee));
            }
        }
        names.find_sources(callees.into_iter(), |file| images.of_file(file));
        if json {
            say!("{{\n  \"pid\": {},\n  \"tables\": [", self.number);
        }
        for copy in &tables {
            let name = |address| names.of(address, |file| images.of_file(file));
            self.print_table(copy, layouts, name, &mut printed);
        }
        if json {
            say!("{}  ]\n}}", if printed.open { "    }\n" } else { "" });
        }
        match printed {
            Printed { unread: true, .. } => {
                Err(Failure::Unusable(format!("process {} was only partly read", self.number)))
            }
            Printed { tables: 0, .. } => Err(self.has_none(images.narrow)),
            _ => Ok(()),
        }
    }

    /// Returns an error that explains why no tables were found.
    fn has_none(&self, narrow: bool) -> Failure {
        let number = self.number;
        if narrow {
            return Failure::Unusable(format!(
                "process {number} runs a 32-bit program, which dump does not support"
            ));
        }
        match self.maps.mappings.is_empty() {
            true => Failure::Unusable(no_memory(number)),
            false => Failure::Failed(format!(
                "process {number} has no stub table, so it does not use this library"
            )),
        }
    }

    /// Returns the tables of all files, one for each executable mapping of the stubs, and whether this list is
    /// complete.
    fn tables(&self, images: &Images) -> (Vec<Copy>, bool) {
        let mut code: HashMap<usize, Vec<&Mapping>> = HashMap::new();
        for mapping in self.maps.mappings.iter().filter(|m| m.executable) {
            code.entry(mapping.file).or_default().push(mapping);
        }
        let (mut found, mut slots) = (vec![], 0);
        for (file, of_file) in images.in_order(&self.maps) {
            let Some(code) = code.get(&file) else { continue };
            let mut tables = BTreeSet::new();
            for image in of_file {
                let of_image = image.notes(&self.memory).flat_map(|(at, held)| notes::tables(&held, at));
                tables.extend(of_image.filter_map(|table| Some((table, image.offset_of(table.stubs)?))));
            }
            for (table, offset) in tables {
                let into = |m: &Mapping| offset.checked_sub(m.offset).filter(|&into| into < m.end - m.start);
                for stubs in code.iter().filter_map(|m| Some(m.start + into(m)?)) {
                    slots += table.slots;
                    if found.len() == MOST_TABLES || slots > MOST_SLOTS {
                        let path = self.path(file);
                        complain(format_args!("{path}: more tables or slots than dump can list"));
                        return (found, false);
                    }
                    found.push(Copy { file, table, stubs });
                }
            }
        }
        if images.more {
            complain(format_args!("process {}: more images than dump can examine", self.number));
        }
        (found, !images.more)
    }

    fn path(&self, file: usize) -> String {
        self.maps.files.get(file).map_or(String::new(), |file| shown(&file.path))
    }

    fn print_table(
        &self,
        &Copy { file, ref table, stubs }: &Copy,
        layouts: &Layouts<'_>,
        mut name: impl FnMut(u64) -> Rc<Name>,
        printed: &mut Printed,
    ) {
        let path = self.path(file);
        printed.tables += 1;
        let live = match self.live(table, stubs) {
            Ok(live) => live,
            Err(why) => {
                complain(format_args!("{path}: slots at {:#x}: {why}", table.slots_of(stubs)));
                printed.unread = true;
                return;
            }
        };
        if printed.json {
            // Printed immediately, because the whole output might not fit into memory.
            let before = if printed.open { "    },\n" } else { "" };
            let (path, slots) = (Value::from(path), table.slots);
            say!(
                "{before}    {{\n      \"path\": {path},\n      \"stubs\": {stubs},\n      \"slots\": {slots},\n      \"live\": ["
            );
            printed.open = true;
        } else {
            say!("{path}: {} of {} stubs from {stubs:#x} on are live", live.len(), table.slots);
        }
        let mut left = live.len();
        let mut named = |address| {
            let name = name(address);
            let bound = || match &*name.bound {
                [] => String::new(),
                locations => format!(", bound at {}", locations.join(", and at ")),
            };
            let source = name.source.as_ref().map_or_else(bound, |source| format!(" at {source}"));
            let text = name.name.as_ref().map_or(String::new(), |name| format!(" ({name}{source})"));
            (format!("{address:#x}{text}"), name)
        };
        for Live { slot, stub, chain, entry, callee } in live {
            let (callee_text, name) = named(callee);
            let by = (entry != callee).then(|| named(entry).0);
            let layout = name.symbol.as_deref().and_then(|symbol| layouts.of(symbol));
            let memory = Memory(&self.memory);
            let mut captured =
                layout.map(|layout| memory.captured(chain, layout, |address| named(address).0));
            left -= 1;
            if printed.json {
                let captured: Vec<String> = captured.iter_mut().flatten().collect();
                let trampoline = json!({
                    "stub": stub, "slot": slot, "callee": callee, "symbol": name.symbol, "name": name.name, "source": name.source,
                    "bound": name.bound,
                    "chain": chain, "entry": entry, "captured": captured,
                });
                let lines = format!("{trampoline:#}").replace('\n', "\n        "); // the strings contain no line breaks
                say!("        {lines}{}", if left > 0 { "," } else { "" });
                continue;
            }
            let via = by.map_or(String::new(), |by| format!("  by way of {by}"));
            say!("  {stub:#x}  slot {slot}  callee {callee_text}  chain {chain:#x}{via}");
            captured.iter_mut().flatten().for_each(|line| say!("    {line}"));
        }
        if printed.json {
            say!("      ]");
        }
    }

    /// Returns the live trampolines of a table, in slot order.
    fn live(&self, table: &Table, stubs: u64) -> std::io::Result<Vec<Live>> {
        let mut live = vec![];
        let count_read = MOST_READ / table.slot_stride;
        for first in (0..table.slots).step_by(count_read as usize) {
            let count = count_read.min(table.slots - first);
            let mut bytes = vec![0; (count * table.slot_stride) as usize];
            let address = table.slots_of(stubs).wrapping_add(first * table.slot_stride);
            Source::read(&self.memory, address, &mut bytes)?;
            let slots = (first..).zip(bytes.chunks_exact(table.slot_stride as usize));
            live.extend(slots.filter_map(|(slot, words)| {
                let stub = stubs.wrapping_add(slot * table.stub_stride);
                Live::read(slot, stub, words)
            }));
        }
        Ok(live)
    }
}

/// A table, and the address where its stubs are mapped.
struct Copy {
    file: usize,
    table: Table,
    stubs: u64,
}

/// The output so far.
struct Printed {
    tables: usize,
    /// Whether some tables could not be read, which has already been reported.
    unread: bool,
    /// Whether the output is JSON.
    json: bool,
    /// Whether the closing brace of a table must still be printed.
    open: bool,
}

impl Live {
    /// Reads the words of a slot (`src/pool/hosted/slot.rs`): the chain, the entry, the state (odd while the slot is
    /// live), a link and the callee.
    fn read(slot: u64, stub: u64, words: &[u8]) -> Option<Self> {
        let words = words.get(..WORDS_OF_SLOT as usize)?;
        let live = half(words, 16)? & 1 != 0;
        live.then_some(Live {
            slot,
            stub,
            chain: word(words, 0)?,
            entry: signed::address(word(words, 8)?),
            callee: word(words, 24)?,
        })
    }
}
