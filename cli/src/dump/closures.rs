//! Names and source locations of the closures that a Rust program has bound, from the program's own records
//! (`src/diagnosis/names.rs` in the core). An ELF note refers to these records, even in a stripped file. They are read
//! from the process's memory, where the loader has already relocated their addresses.

use crate::image::notes::{Image, closures};
use crate::image::source::{Source, word};
use crate::shown::shown;
use std::collections::HashMap;

/// The path of the library module with the wrapper types for closures. `src/message.rs` also omits this path.
const KINDS: &str = "statictramp::closure::kinds::";

/// Size in bytes of a record. A record contains the address of a function that identifies the closure, the adapter's
/// address, the addresses and lengths of the name and file name, and the line.
const RECORD: usize = 56;
/// Maximum number of records that one note refers to, and maximum number of closures in a process.
const MOST_RECORDS: u64 = 1 << 16;
const MOST_CLOSURES: usize = 1 << 18;
/// Maximum length of a name. Longer names are truncated, because nested types can have unreadably long names.
const LONGEST_NAME: u64 = 1 << 12;
/// Maximum total length in bytes of all names and file names that are read.
const MOST_BYTES: u64 = 1 << 27;
/// The maximum number of source locations for one closure.
const MOST_LOCATIONS: usize = 8;

/// The names and source locations of closures, indexed by the addresses of their adapters.
pub struct Closures<'p, S> {
    source: &'p S,
    found: HashMap<u64, Found>,
    /// The number of bytes that may still be read for names and file names.
    left: u64,
}

/// The information in the records of one adapter.
struct Found {
    name: Text,
    /// The address of the function that identifies the closure.
    knows: u64,
    /// Files and lines.
    locations: Vec<(Text, u64)>,
}

/// A string's address and length.
#[derive(Clone, Copy)]
struct Text(u64, u64);

impl<'p, S: Source> Closures<'p, S> {
    pub fn of<'i>(source: &'p S, images: impl Iterator<Item = &'i Image>) -> Self {
        let mut found: HashMap<u64, Found> = HashMap::new();
        for image in images {
            let notes = image.notes(source);
            for (start, stop) in notes.flat_map(|(address, held)| closures(&held, address)) {
                let len = stop.saturating_sub(start);
                if len > MOST_RECORDS * RECORD as u64 || found.len() > MOST_CLOSURES {
                    continue;
                }
                let Some(start) = image.loaded_at(start) else { continue };
                let Some(records) = source.copy(start, len as usize) else { continue };
                records.chunks_exact(RECORD).for_each(|record| _ = read(record, &mut found));
            }
        }
        Closures { source, found, left: MOST_BYTES }
    }

    /// Returns the address of the function that identifies an adapter's closure. In debug information, the name of this
    /// function contains the closure's type.
    pub fn knows(&self, adapter: u64) -> Option<u64> {
        self.found.get(&adapter).map(|found| found.knows)
    }

    /// Returns the name of an adapter's closure, without the library's module path.
    pub fn name(&mut self, adapter: u64) -> Option<String> {
        let Text(address, len) = self.found.get(&adapter)?.name;
        let read = len.min(LONGEST_NAME);
        let mut name = self.bytes(Text(address, read))?;
        if read < len {
            // Characters must not be split.
            let whole = name.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
            if name.len() - whole < 4 {
                name.truncate(whole);
            }
            name.extend(b" ...");
        }
        Some(shown(&name).replace(KINDS, ""))
    }

    /// Returns the distinct source locations (file and line) at which an adapter's closure was bound.
    pub fn locations(&mut self, adapter: u64) -> Vec<String> {
        let Some(found) = self.found.get(&adapter) else { return vec![] };
        let mut locations = vec![];
        for (file, line) in found.locations.clone() {
            let location = self.bytes(file).map(|file| format!("{}:{line}", shown(&file)));
            locations.extend(location.filter(|location| !locations.contains(location)));
        }
        locations
    }

    fn bytes(&mut self, Text(address, len): Text) -> Option<Vec<u8>> {
        self.left = self.left.checked_sub(len)?;
        self.source.copy(address, len as usize)
    }
}

/// Returns a `Text`, or `None` if its address or length is 0.
fn text(address: u64, len: u64) -> Option<Text> {
    (address != 0 && len != 0).then_some(Text(address, len))
}

fn read(record: &[u8], found: &mut HashMap<u64, Found>) -> Option<()> {
    let word = |number: usize| word(record, 8 * number);
    let (knows, adapter) = (word(0)?, word(1).filter(|&adapter| adapter != 0)?);
    let name = text(word(2)?, word(3)?)?;
    let found = found.entry(adapter).or_insert(Found { name, knows, locations: vec![] });
    let file = text(word(4)?, word(5)?).filter(|file| file.1 <= LONGEST_NAME)?;
    if found.locations.len() < MOST_LOCATIONS {
        found.locations.push((file, word(6)?));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::Closures;
    use super::Source;
    use super::shown;
    use crate::image::notes::Image;
    use std::io;

    /// The memory that begins at an address.
    struct Piece(u64, Vec<u8>);

    impl Source for Piece {
        fn read(&self, address: u64, bytes: &mut [u8]) -> io::Result<()> {
            let at = address.checked_sub(self.0).and_then(|at| usize::try_from(at).ok());
            let held = at.and_then(|at| self.1.get(at..at.checked_add(bytes.len())?));
            bytes.copy_from_slice(held.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        }
    }

    const BASE: u64 = 0x7000_0000;
    const NOTE: usize = 0x100;
    const RECORDS: u64 = 0x200;
    const NAME: u64 = 0x400;
    const FILE: u64 = 0x500;
    const LONG: u64 = 0x1000;

    /// Returns an image whose note refers to the records up to `stop`.
    fn image(stop: u64, records: &[[u64; 7]]) -> Piece {
        let mut memory = vec![0; 0x1000];
        memory.extend("é".repeat(0x1000).bytes());
        let mut put = |at: usize, bytes: &[u8]| memory[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, b"\x7fELF\x02\x01");
        put(32, &64u64.to_le_bytes());
        put(54, &56u16.to_le_bytes());
        put(56, &2u16.to_le_bytes());
        for (at, kind, start, len) in [(64, 1u32, 0u64, 0x1000u64), (120, 4, NOTE as u64, 40)] {
            put(at, &kind.to_le_bytes());
            put(at + 8, &start.to_le_bytes());
            put(at + 16, &start.to_le_bytes());
            put(at + 32, &len.to_le_bytes());
        }
        for (at, half) in [12u32, 16, 2].into_iter().enumerate() {
            put(NOTE + 4 * at, &half.to_le_bytes());
        }
        put(NOTE + 12, b"statictramp\0");
        put(NOTE + 24, &(RECORDS - (NOTE as u64 + 24)).to_le_bytes());
        put(NOTE + 32, &stop.wrapping_sub(NOTE as u64 + 32).to_le_bytes());
        for (at, word) in records.as_flattened().iter().enumerate() {
            put(RECORDS as usize + 8 * at, &word.to_le_bytes());
        }
        put(NAME as usize, b"a::main::{{closure}}\x1bstatictramp::closure::kinds::Once<a>");
        put(FILE as usize, b"src/main.rs");
        Piece(BASE, memory)
    }

    const STOP: u64 = RECORDS + 3 * 56;

    /// Runs a test on a program with two records.
    fn with<T>(stop: u64, records: [[u64; 7]; 2], what: impl FnOnce(&mut Closures<'_, Piece>) -> T) -> T {
        let [first, second] = records;
        let memory = image(stop, &[[0; 7], first, second]);
        let image = Image::at(&memory, BASE).unwrap();
        what(&mut Closures::of(&memory, [image].iter()))
    }

    #[test]
    fn a_name_is_read_completely_or_not_at_all() {
        let name = |stop, [knows, adapter, name, len]: [u64; 4]| {
            let record = [knows, adapter, name, len, 0, 0, 0];
            with(stop, [record, [0; 7]], |closures| closures.name(0x1234))
        };
        let (stop, at) = (STOP, BASE + NAME);
        assert_eq!(name(stop, [1, 0x1234, at, 20]).unwrap(), "a::main::{{closure}}");
        assert_eq!(name(stop, [1, 0x1234, at, 21]).unwrap(), "a::main::{{closure}}\\u{1b}");
        assert_eq!(name(stop, [1, 0x1234, at + 21, 36]).unwrap(), "Once<a>");
        let (long, end) = (BASE + LONG, BASE + LONG + 0x2000);
        let cut = |count| format!("{} ...", shown("é".repeat(count).as_bytes()));
        assert_eq!(name(stop, [1, 0x1234, long, 0x1000]).unwrap() + " ...", cut(0x800));
        assert_eq!(name(stop, [1, 0x1234, long, 0x1001]).unwrap(), cut(0x800));
        assert_eq!(name(stop, [1, 0x1234, long, u64::MAX]).unwrap(), cut(0x800));
        assert_eq!(name(stop, [1, 0x1234, long - 1, 0x2000]).unwrap(), format!("\\0{}", cut(0x7ff)));
        for (stop, record) in [
            (stop, [1, 0x1235, at, 20]),
            (stop, [1, 0x1234, at, 0]),
            (stop, [1, 0x1234, 0, 20]),
            (stop, [1, 0x1234, end - 0xfff, 1 << 17]),
            (stop, [1, 0x1234, end, u64::MAX]),
            (stop, [1, 0x1234, u64::MAX, 20]),
            (stop, [1, 0x1234, end - 19, 20]),
            (RECORDS + 56, [1, 0x1234, at, 20]),
            (RECORDS, [1, 0x1234, at, 20]),
            (0, [1, 0x1234, at, 20]),
            (u64::MAX, [1, 0x1234, at, 20]),
            (0x4000, [1, 0x1234, at, 20]),
        ] {
            assert_eq!(name(stop, record), None, "{stop:#x} {record:x?}");
        }
    }

    #[test]
    fn each_source_location_is_listed_once() {
        let at = BASE + FILE;
        let bound = |locations: [[u64; 3]; 2]| {
            let records = locations.map(|[file, len, line]| [1, 0x1234, BASE + NAME, 20, file, len, line]);
            with(STOP, records, |closures| closures.locations(0x1234))
        };
        assert_eq!(bound([[at, 11, 5], [at, 11, 7]]), ["src/main.rs:5", "src/main.rs:7"]);
        assert_eq!(bound([[at, 11, 5], [at, 11, 5]]), ["src/main.rs:5"]);
        assert_eq!(bound([[0, 11, 5], [at, 11, u64::MAX]]), ["src/main.rs:18446744073709551615"]);
        assert_eq!(bound([[at, 0, 5], [BASE + 0x3000 - 10, 11, 5]]), [""; 0]);
        assert_eq!(bound([[at, 1 << 17, 5], [u64::MAX, 11, 5]]), [""; 0]);
    }
}
