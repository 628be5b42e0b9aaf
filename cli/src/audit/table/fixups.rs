//! The locations in a Mach-O file at which the macOS loader stores addresses, specified by an opcode program
//! (LC_DYLD_INFO) or by chains through the pages (LC_DYLD_CHAINED_FIXUPS).

use super::search::Found;
use object::macho::*;
use object::read::ReadRef;
use object::read::macho::{LoadCommandVariant, MachOFile64};
use object::{Endianness, Object, ObjectSegment};

/// Maximum number of fixups. Files with more fixups are not analysed.
const MOST: u64 = 1 << 24;
const ENDS: &str = "the loader's fixups are truncated or invalid";
const UNKNOWN: &str = "the loader's fixups have an unknown format";

/// A segment's load address, and the file range that is loaded there.
struct Segment {
    address: u64,
    at: u64,
    len: u64,
}

/// Returns an error if the loader writes to the table in `found`, or if the loader's fixups cannot be read.
pub fn none<'data, R: ReadRef<'data>>(
    file: &MachOFile64<'data, Endianness, R>,
    data: R,
    found: &Found,
) -> Result<(), String> {
    let endian = file.endian();
    let segments = file.segments().map(|it| {
        let (at, len) = it.file_range();
        Segment { address: it.address(), at, len }
    });
    let segments: Vec<_> = segments.collect();
    let part = |at: u32, len: u32| data.read_bytes_at(at.into(), len.into()).map_err(|()| ENDS);
    let mut commands = file.macho_load_commands().map_err(|why| why.to_string())?;
    while let Some(command) = commands.next().map_err(|why| why.to_string())? {
        match command.variant().map_err(|why| why.to_string())? {
            LoadCommandVariant::DyldInfo(info) => {
                let lists = [
                    (&info.rebase_off, &info.rebase_size),
                    (&info.bind_off, &info.bind_size),
                    (&info.weak_bind_off, &info.weak_bind_size),
                    (&info.lazy_bind_off, &info.lazy_bind_size),
                ];
                for (number, (at, len)) in lists.into_iter().enumerate() {
                    let code = part(at.get(endian), len.get(endian))?;
                    let mut program = Program { code, segments: &segments, found, address: 0, left: MOST };
                    if number == 0 { program.rebase()? } else { program.bind(number == 3)? }
                }
            }
            LoadCommandVariant::LinkeditData(it) if it.cmd.get(endian) == LC_DYLD_CHAINED_FIXUPS => {
                chains(part(it.dataoff.get(endian), it.datasize.get(endian))?, data, &segments, found)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The state of an opcode program: the remaining opcodes, the current address, and the number of fixups still
/// permitted.
struct Program<'a> {
    code: &'a [u8],
    segments: &'a [Segment],
    found: &'a Found,
    address: u64,
    left: u64,
}

impl Program<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.code.split_first()?;
        self.code = rest;
        Some(first)
    }

    /// Reads a LEB128 number as unsigned. This also suffices for signed numbers, because only their length is needed.
    fn number(&mut self) -> Result<u64, String> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte().ok_or(ENDS)?;
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift = (shift + 7).min(64);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
    }

    fn start(&mut self, segment: u8) -> Result<(), String> {
        let start = self.segments.get(usize::from(segment)).ok_or(ENDS)?.address;
        self.address = start.wrapping_add(self.number()?);
        Ok(())
    }

    fn go(&mut self, distance: u64) {
        self.address = self.address.wrapping_add(distance);
    }

    /// Checks that the `times` words written by the loader are all outside the table. Consecutive words are separated
    /// by `between` bytes.
    fn write(&mut self, times: u64, between: u64) -> Result<(), String> {
        self.left = self.left.checked_sub(times).ok_or("there are too many fixups")?;
        for _ in 0..times {
            self.found.written(self.address)?;
            self.go(between.wrapping_add(8));
        }
        Ok(())
    }

    fn rebase(&mut self) -> Result<(), String> {
        while let Some(byte) = self.byte() {
            let low = byte & REBASE_IMMEDIATE_MASK;
            match byte & REBASE_OPCODE_MASK {
                REBASE_OPCODE_DONE => break,
                REBASE_OPCODE_SET_TYPE_IMM => {}
                REBASE_OPCODE_SET_SEGMENT_AND_OFFSET_ULEB => self.start(low)?,
                REBASE_OPCODE_ADD_ADDR_ULEB => {
                    let distance = self.number()?;
                    self.go(distance);
                }
                REBASE_OPCODE_ADD_ADDR_IMM_SCALED => self.go(u64::from(low) * 8),
                REBASE_OPCODE_DO_REBASE_IMM_TIMES => self.write(low.into(), 0)?,
                REBASE_OPCODE_DO_REBASE_ULEB_TIMES => {
                    let times = self.number()?;
                    self.write(times, 0)?;
                }
                REBASE_OPCODE_DO_REBASE_ADD_ADDR_ULEB => {
                    let between = self.number()?;
                    self.write(1, between)?;
                }
                REBASE_OPCODE_DO_REBASE_ULEB_TIMES_SKIPPING_ULEB => {
                    let (times, between) = (self.number()?, self.number()?);
                    self.write(times, between)?;
                }
                _ => return Err(UNKNOWN.into()),
            }
        }
        Ok(())
    }

    /// Runs an opcode program for bindings. If `lazy` is true, each binding is made when its function is first called,
    /// and has its own program.
    fn bind(&mut self, lazy: bool) -> Result<(), String> {
        while let Some(byte) = self.byte() {
            let low = byte & BIND_IMMEDIATE_MASK;
            match byte & BIND_OPCODE_MASK {
                BIND_OPCODE_DONE if lazy => {}
                BIND_OPCODE_DONE => break,
                BIND_OPCODE_SET_DYLIB_ORDINAL_IMM | BIND_OPCODE_SET_DYLIB_SPECIAL_IMM => {}
                BIND_OPCODE_SET_TYPE_IMM => {}
                BIND_OPCODE_SET_DYLIB_ORDINAL_ULEB | BIND_OPCODE_SET_ADDEND_SLEB => drop(self.number()?),
                BIND_OPCODE_SET_SYMBOL_TRAILING_FLAGS_IMM => while self.byte().ok_or(ENDS)? != 0 {},
                BIND_OPCODE_SET_SEGMENT_AND_OFFSET_ULEB => self.start(low)?,
                BIND_OPCODE_ADD_ADDR_ULEB => {
                    let distance = self.number()?;
                    self.go(distance);
                }
                BIND_OPCODE_DO_BIND => self.write(1, 0)?,
                BIND_OPCODE_DO_BIND_ADD_ADDR_ULEB => {
                    let between = self.number()?;
                    self.write(1, between)?;
                }
                BIND_OPCODE_DO_BIND_ADD_ADDR_IMM_SCALED => self.write(1, u64::from(low) * 8)?,
                BIND_OPCODE_DO_BIND_ULEB_TIMES_SKIPPING_ULEB => {
                    let (times, between) = (self.number()?, self.number()?);
                    self.write(times, between)?;
                }
                _ => return Err(UNKNOWN.into()),
            }
        }
        Ok(())
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, String> {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or(ENDS)?;
    Ok(u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, String> {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or(ENDS)?;
    Ok(u32::from_le_bytes(*bytes))
}

/// Checks that the loader's chained fixups do not write to the table. `header` begins with
/// `dyld_chained_fixups_header`, in which the second word is the offset of `dyld_chained_starts_in_image`.
fn chains<'data, R: ReadRef<'data>>(
    header: &[u8],
    data: R,
    segments: &[Segment],
    found: &Found,
) -> Result<(), String> {
    let of_image = u32_at(header, 4)? as usize;
    let number = (u32_at(header, of_image)? as usize).min(segments.len());
    for (index, segment) in segments.iter().enumerate().take(number) {
        let into = u32_at(header, of_image + 4 + 4 * index)? as usize;
        if into == 0 {
            continue; // no fixups in this segment
        }
        // dyld_chained_starts_in_segment: size (4 bytes), page_size, pointer_format, segment_offset (8), max_valid_pointer
        // (4), page_count, page_start[].
        let start = of_image + into;
        let page_size = u64::from(u16_at(header, start + 4)?);
        // The unit of the distance to the next fixup, and the lowest bit and the width of the distance field.
        let (unit, lowest, bits) = match u16_at(header, start + 6)? {
            1 | 9 | 12 => (8, 51, 11), // arm64e
            7 | 10 => (4, 51, 11),     // the arm64e kernel's
            2 | 6 | 8 => (4, 51, 12),  // 64-bit
            11 => (1, 51, 12),         // the x86-64 kernel's
            _ => return Err(UNKNOWN.into()),
        };
        for page in 0..u64::from(u16_at(header, start + 20)?) {
            let first = u16_at(header, start + 22 + 2 * page as usize)?;
            if first == u16::MAX {
                continue;
            }
            let from = page * page_size;
            let len = page_size.min(segment.len.checked_sub(from).ok_or(ENDS)?);
            let bytes =
                segment.at.checked_add(from).and_then(|at| data.read_bytes_at(at, len).ok()).ok_or(ENDS)?;
            let mut at = usize::from(first);
            loop {
                found.written(segment.address.wrapping_add(from).wrapping_add(at as u64))?;
                let word = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or(ENDS)?;
                match u64::from_le_bytes(*word) >> lowest & ((1 << bits) - 1) {
                    0 => break,
                    next => at += unit * next as usize,
                }
            }
        }
    }
    Ok(())
}
