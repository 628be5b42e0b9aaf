//! A copy of a linked file or an object that does not ask for an executable stack.

use object::Endianness;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Longer ones are not copied: they are made of holes.
const LONGEST: u64 = 1 << 32;

/// Writes the copy, beside the file and with its rights; nothing that is there already is overwritten.
pub fn copy(file: &Path, copy: &Path) -> Result<PathBuf, String> {
    let failed = |what: &str, error: std::io::Error| format!("{what}: {error}");
    let len = std::fs::metadata(file).map_err(|error| failed("it cannot be read", error))?.len();
    if len > LONGEST {
        return Err("it is too large for that".into());
    }
    let mut bytes = std::fs::read(file).map_err(|error| failed("it cannot be read", error))?;
    let flags = match bytes.get(4) {
        Some(2) => flags::<elf::FileHeader64<Endianness>>(&bytes),
        _ => flags::<elf::FileHeader32<Endianness>>(&bytes),
    };
    let Some((at, endian)) = flags else {
        return Err("only an ELF file can be cleared, not an archive".into());
    };
    // PF_X is 1, SHF_EXECINSTR 4; both in the lowest byte of their field.
    let (at, bit) = at;
    let lowest = if endian == Endianness::Little { at } else { at + 3 };
    bytes[lowest] &= !bit;
    let mode =
        std::fs::metadata(file).map_err(|error| failed("it cannot be read", error))?.permissions().mode();
    let mut out = std::fs::File::options()
        .write(true)
        .create_new(true)
        .mode(mode & 0o777)
        .open(copy)
        .map_err(|error| failed("the copy cannot be written", error))?;
    out.write_all(&bytes).map_err(|error| {
        let _ = std::fs::remove_file(copy); // of no use
        failed("the copy cannot be written", error)
    })?;
    Ok(copy.to_owned())
}

/// Where the field of flags lies that asks (its 4 bytes that matter), and the bit in it.
fn flags<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> Option<((usize, u8), Endianness)> {
    let header = Elf::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let inside = |field: *const u8| {
        let at = field.addr().checked_sub(bytes.as_ptr().addr())?;
        (at + 4 <= bytes.len()).then_some(at)
    };
    for segment in header.program_headers(endian, bytes).ok()? {
        if segment.p_type(endian) == elf::PT_GNU_STACK {
            // p_flags is the second word of a 64-bit header, the seventh of a 32-bit one.
            let word = if header.is_class_64() { 1 } else { 6 };
            return Some(((inside(core::ptr::from_ref(segment).cast::<u8>())? + 4 * word, 1), endian));
        }
    }
    let sections = header.sections(endian, bytes).ok()?;
    let (_, note) = sections.section_by_name(endian, b".note.GNU-stack")?;
    note.sh_type(endian);
    // sh_flags is at 8 in both; in a 64-bit big-endian file its low half is at 12.
    let at = inside(core::ptr::from_ref(note).cast::<u8>())? + 8;
    let at = if header.is_class_64() && endian == Endianness::Big { at + 4 } else { at };
    Some(((at, 4), endian))
}
