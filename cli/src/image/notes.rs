//! Reads the addresses of an image's tables from its notes. For a process, the notes are read from its memory, not from
//! the mapped file. Memory describes the code that actually runs, even if the file has changed since, and opening a
//! file that another process chose could block.

use super::maps::Maps;
use super::source::{Source, half, word};
use object::{Endian, Endianness};

/// The link-time addresses of a table in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Table {
    pub slots: u64,
    pub stub_stride: u64,
    pub slot_stride: u64,
    pub stubs: u64,
    pub slots_at: u64,
}

/// Maximum number of slots in a table (`STATICTRAMP_SLOTS`), and maximum size in bytes of a stub and of a slot.
const MOST_SLOTS: u64 = 1 << 20;
const LONGEST_STRIDE: u64 = 256;
/// Minimum size in bytes of a slot. A slot has at least two four-byte words.
const LEAST_SLOT: u64 = 8;
/// The number of bytes that are read from a slot: the chain, the entry, the state, a link and the callee.
pub const WORDS_OF_SLOT: u64 = 32;

/// Maximum size in bytes of an image's headers. This and the following limits prevent a process from exhausting this
/// tool's memory or time.
const LONGEST_HEAD: u64 = 1 << 14;
const LONGEST_NOTES: u64 = 1 << 20;
const MOST_SEGMENTS_OF_NOTES: usize = 64;
const MOST_TABLES: usize = 256;
/// Maximum number of copies of the Rust library in an image, one for each version.
const MOST_COPIES: usize = 16;

/// The headers of an image in memory (ELF specification, generic ABI, chapters 4 and 5).
#[derive(Debug)]
pub struct Image {
    /// The file header and the program headers.
    pub head: Vec<u8>,
    base: u64,
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    kind: u64,
    rights: u64,
    offset: u64,
    address: u64,
    in_file: u64,
}

const LOADED: u64 = 1;
const NOTES: u64 = 4;
/// The flag of an executable segment.
const EXECUTED: u64 = 1;
const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;

/// Why an image is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRead {
    /// The image belongs to a 32-bit program.
    Narrow,
    /// The memory does not contain an image, or is unreadable.
    Other,
}

impl Image {
    /// Reads the image whose first byte is at an address.
    pub fn at(source: &impl Source, base: u64) -> Result<Self, NotRead> {
        let header = source.copy(base, HEADER).ok_or(NotRead::Other)?;
        match header.first_chunk() {
            Some(b"\x7fELF\x02\x01") => {}
            Some(b"\x7fELF\x01\x01") => return Err(NotRead::Narrow),
            _ => return Err(NotRead::Other),
        }
        Self::of(source, base, header).ok_or(NotRead::Other)
    }

    fn of(source: &impl Source, base: u64, mut head: Vec<u8>) -> Option<Self> {
        let (at, size, count) = (word(&head, 32)?, half(&head, 54)? & 0xffff, half(&head, 56)? & 0xffff);
        let end = at.checked_add(count * PROGRAM_HEADER as u64)?;
        if size != PROGRAM_HEADER as u64 || end > LONGEST_HEAD || at < HEADER as u64 {
            return None;
        }
        // The file header is not read again, because it may have changed.
        head.extend(source.copy(base.checked_add(HEADER as u64)?, end as usize - HEADER)?);
        let segments = head.get(at as usize..)?.chunks_exact(PROGRAM_HEADER).filter_map(|header| {
            let (kind, rights) = (half(header, 0)?, half(header, 4)?);
            let (offset, address, in_file) = (word(header, 8)?, word(header, 16)?, word(header, 32)?);
            Some(Segment { kind, rights, offset, address, in_file })
        });
        let segments = segments.collect();
        Some(Image { head, base, segments })
    }

    /// Returns the difference between the run-time and the link-time addresses.
    fn bias(&self) -> Option<u64> {
        let first = self.segments.iter().find(|s| s.kind == LOADED && s.offset == 0)?;
        Some(self.base.wrapping_sub(first.address))
    }

    /// Returns whether the file's code is mapped where this image expects it.
    pub fn is_loaded(&self, maps: &Maps, file: usize) -> bool {
        let mut code = self.segments.iter().filter(|s| s.kind == LOADED && s.rights & EXECUTED != 0);
        code.any(|s| {
            let Some(at) = self.loaded_at(s.address) else { return false };
            let mapping = maps.code_at(at).filter(|m| m.file == file);
            mapping.is_some_and(|m| m.offset + (at - m.start) == s.offset)
        })
    }

    /// Returns this value's memory use in bytes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.head.len() + size_of_val(&self.segments[..])
    }

    /// Returns the run-time address for a link-time address.
    pub fn loaded_at(&self, address: u64) -> Option<u64> {
        self.bias().map(|bias| bias.wrapping_add(address))
    }

    /// Returns the file offset for a link-time address.
    pub fn offset_of(&self, address: u64) -> Option<u64> {
        let mut loaded = self.segments.iter().filter(|s| s.kind == LOADED);
        loaded.find_map(|s| {
            let into = address.checked_sub(s.address).filter(|&into| into < s.in_file)?;
            s.offset.checked_add(into)
        })
    }

    /// Returns the link-time address for a file offset.
    pub fn address_of(&self, offset: u64) -> Option<u64> {
        let mut loaded = self.segments.iter().filter(|s| s.kind == LOADED);
        loaded.find_map(|s| {
            let into = offset.checked_sub(s.offset).filter(|&into| into < s.in_file)?;
            s.address.checked_add(into)
        })
    }

    /// Iterates over the link-time addresses and contents of the image's note segments. Each segment is read only when
    /// the iterator reaches it.
    pub fn notes(&self, source: &impl Source) -> impl Iterator<Item = (u64, Vec<u8>)> {
        let segments = self.segments.iter().filter(|s| s.kind == NOTES && s.in_file <= LONGEST_NOTES);
        segments.take(MOST_SEGMENTS_OF_NOTES).filter_map(|s| {
            let held = source.copy(self.loaded_at(s.address)?, s.in_file as usize)?;
            Some((s.address, held))
        })
    }
}

/// Returns the tables described by a note segment with this link-time address, one for each copy of the library. Tables
/// in bare-metal programs are not included, because their slots lack words that the tool reads.
pub fn tables(notes: &[u8], address: u64) -> Vec<Table> {
    let all = all_tables(notes, address, u64::MAX, HERE).into_iter();
    all.filter(|table| table.slot_stride >= WORDS_OF_SLOT).collect()
}

/// The byte order of the processes to read.
const HERE: Endianness = Endianness::Little;

/// Returns the tables of a program, including a bare-metal program. `mask` contains the bits that an address may have
/// set.
pub fn all_tables(notes: &[u8], address: u64, mask: u64, endian: Endianness) -> Vec<Table> {
    let half = |bytes: &[u8], at: usize| half_of(endian, bytes, at);
    let word = |bytes: &[u8], at: usize| Some(endian.read_u64_bytes(*bytes.get(at..)?.first_chunk()?));
    let table = |(field, words): (u64, &[u8])| {
        // An address in a note is 64 bits wide (32 bits in form 2), and is relative to the field that contains it. The
        // note of a bare-metal program is not loaded, so its addresses are absolute (form 1).
        let form = half(words, 12)?;
        let at = |offset: usize| {
            let base = if form == 1 { 0 } else { field.wrapping_add(offset as u64) };
            let short = || Some(i64::from(half(words, offset)? as i32) as u64);
            let distance = if form == 2 { short()? } else { word(words, offset)? };
            Some(base.wrapping_add(distance) & mask)
        };
        let found = Table {
            slots: half(words, 0)?,
            stub_stride: half(words, 4)?,
            slot_stride: half(words, 8)?,
            stubs: at(16)?,
            slots_at: at(24)?,
        };
        found.is_possible().then_some(found)
    };
    ours(notes, address, 1, 32, endian).filter_map(table).take(MOST_TABLES).collect()
}

/// Returns the link-time start and end addresses of the closure records, one pair for each copy of the library.
pub fn closures(notes: &[u8], address: u64) -> Vec<(u64, u64)> {
    let bounds = |(field, words): (u64, &[u8])| {
        Some((field.wrapping_add(word(words, 0)?), field.wrapping_add(8).wrapping_add(word(words, 8)?)))
    };
    ours(notes, address, 2, 16, HERE).filter_map(bounds).take(MOST_COPIES).collect()
}

fn half_of(endian: Endianness, bytes: &[u8], at: usize) -> Option<u64> {
    Some(endian.read_u32_bytes(*bytes.get(at..)?.first_chunk()?).into())
}

/// Returns the contents and addresses of all the library's notes of the given type.
///
/// Searches for note headers instead of iterating over the notes, because producers of notes use different alignments.
fn ours(
    notes: &[u8],
    address: u64,
    kind: u64,
    len: u64,
    endian: Endianness,
) -> impl Iterator<Item = (u64, &[u8])> {
    const NAME: &[u8] = b"statictramp\0";
    (0..notes.len()).step_by(4).filter_map(move |at| {
        let header = notes.get(at..)?;
        let known = half_of(endian, header, 0)? == NAME.len() as u64
            && half_of(endian, header, 4)? == len
            && half_of(endian, header, 8)? == kind
            && header.get(12..)?.starts_with(NAME);
        let content = header.get(12 + NAME.len()..)?;
        known.then_some((address.wrapping_add((at + 12 + NAME.len()) as u64), content))
    })
}

impl Table {
    fn is_possible(&self) -> bool {
        (1..=MOST_SLOTS).contains(&self.slots)
            && (1..=LONGEST_STRIDE).contains(&self.stub_stride)
            && (LEAST_SLOT..=LONGEST_STRIDE).contains(&self.slot_stride)
    }

    /// Returns the address of the slots for this table's copy with stubs at `stubs`.
    pub fn slots_of(&self, stubs: u64) -> u64 {
        stubs.wrapping_add(self.slots_at.wrapping_sub(self.stubs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(slots: u32, stub_stride: u32, slot_stride: u32) -> Vec<u8> {
        note_with(slots, stub_stride, slot_stride, 0)
    }

    fn note_with(slots: u32, stub_stride: u32, slot_stride: u32, absolute: u32) -> Vec<u8> {
        let halves = [12, 32, 1].into_iter().chain([
            u32::from_le_bytes(*b"stat"),
            u32::from_le_bytes(*b"ictr"),
            u32::from_le_bytes(*b"amp\0"),
        ]);
        let halves = halves.chain([slots, stub_stride, slot_stride, absolute, 0x100, 0, 0x1000, 0]);
        halves.flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn valid_tables_are_found_and_invalid_ones_are_rejected() {
        let found = tables(&note(1024, 32, 32), 0x4000);
        let table = Table {
            slots: 1024,
            stub_stride: 32,
            slot_stride: 32,
            stubs: 0x4000 + 40 + 0x100,
            slots_at: 0x4000 + 48 + 0x1000,
        };
        assert_eq!(found, [table]);
        assert_eq!(table.slots_of(0x7000), 0x7000 + 0xf08);
        let absolute = tables(&note_with(1024, 32, 32, 1), 0x4000);
        assert_eq!(absolute, [Table { stubs: 0x100, slots_at: 0x1000, ..table }]);
        let mut short = note_with(1024, 32, 32, 2);
        short[40..44].copy_from_slice(&(-0x100i32).to_le_bytes());
        assert_eq!(tables(&short, 0x4000), [Table { stubs: 0x4000 + 40 - 0x100, ..table }]);
        for (slots, stub, slot) in [
            (0, 32, 32),
            (u32::MAX, 32, 32),
            (1 << 20 | 1, 32, 32),
            (9, 0, 32),
            (9, 32, 0),
            (9, 32, 24),
            (9, 257, 32),
            (9, 32, u32::MAX),
        ] {
            assert_eq!(tables(&note(slots, stub, slot), 0), []);
        }
        let whole = note(9, 32, 32);
        for len in 0..whole.len() {
            assert_eq!(tables(&whole[..len], u64::MAX), []);
        }
        assert_eq!(tables(&note(9, 32, 32).repeat(1000), u64::MAX).len(), MOST_TABLES);
    }
}
