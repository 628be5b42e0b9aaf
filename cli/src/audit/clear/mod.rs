//! Writes copies of ELF files, archives and wheels, rewritten so that they do not request an executable stack.
//!
//! - `wheel.rs`: wheels; `record.rs`: their RECORD files.

mod record;
mod wheel;

use super::contents::{self, DEEPEST, Found};
use super::files::location::{Location, STANDARD_INPUT};
use super::files::wants::Wants;
use super::system;
use super::verdict::Verdict;
use object::Endianness;
use object::elf;
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, ProgramHeader};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Maximum length, in bytes, of a file to copy. Longer files are usually sparse.
const LONGEST: u64 = 1 << 32;

/// A completed copy.
pub struct Cleared {
    pub path: PathBuf,
    /// The changed members, if the file is a wheel.
    pub members: Vec<Vec<u8>>,
    /// Whether a wheel's signature, which would not match the copy's contents, was omitted.
    pub unsigned: bool,
}

/// Why no copy was written.
pub enum Not {
    /// The flag cannot be cleared in this kind of file.
    Possible(&'static str),
    Failed(String),
}

/// Uses a file's audit results to write a copy that does not request an executable stack. The copy is created in the
/// same directory and, on Unix, gets the file's permissions, except for the set-user-ID, set-group-ID and sticky bits.
/// If `in_place` is true, the copy is then renamed over the file, so the file is never partially written. No other
/// existing file is overwritten.
pub fn cleared(file: &Path, found: &Found, in_place: bool) -> Result<Cleared, Not> {
    if file.as_os_str() == STANDARD_INPUT {
        return Err(Not::Possible("it was read from standard input"));
    }
    let may_be_cleared = found.files.iter().filter(|it| Verdict::of(&it.facts).may_be_cleared(&it.facts));
    let members: BTreeSet<&[u8]> = may_be_cleared.map(|it| it.location.inner.as_slice()).collect();
    let is_package = !members.contains(&b""[..]);
    if is_package && file.extension().is_none_or(|end| end != "whl") {
        return Err(Not::Possible(
            "only wheels can be rewritten; unpack this package, clear its files, and pack it again",
        ));
    }
    let failed = |what: &str, error: io::Error| Not::Failed(format!("{what}: {error}"));
    // If `file` is a symbolic link, its target is replaced rather than the link itself.
    let file = &if in_place {
        file.canonicalize().map_err(|e| failed("it cannot be found", e))?
    } else {
        file.to_owned()
    };
    let metadata = std::fs::metadata(file).map_err(|error| failed("it cannot be read", error))?;
    if in_place && let Some(why) = system::must_stay(file, &metadata) {
        return Err(Not::Failed(why.into()));
    }
    let copy = match (in_place, is_package) {
        (true, _) => beside(file, ".clearing"),
        (false, false) => beside(file, ".cleared"),
        // `cleared` becomes an additional platform tag that matches no system. Installers accept a wheel if any of its
        // tags matches.
        (false, true) => beside(&file.with_extension(""), ".cleared.whl"),
    };
    let mut done = Cleared { path: copy, members: Vec::new(), unsigned: false };
    if is_package {
        let wheel = wheel::Wheel::open(file, &members).map_err(Not::Failed)?;
        write(&done.path, &metadata, in_place, |out| wheel.write(out)).map_err(Not::Failed)?;
        done.members = members.iter().map(|it| it.to_vec()).collect();
        done.unsigned = wheel.is_signed();
        let again = contents::audit(&done.path, &Wants::default());
        let is_left = |it: &super::files::facts::Audited| {
            members.contains(it.location.inner.as_slice()) && Verdict::of(&it.facts).may_be_cleared(&it.facts)
        };
        if !again.broken.is_empty() || again.files.iter().any(is_left) {
            let _ = std::fs::remove_file(&done.path); // the copy is unusable
            return Err(Not::Failed("a member's flag could not be cleared".into()));
        }
    } else {
        if metadata.len() > LONGEST {
            return Err(Not::Failed("it is larger than 4 GiB".into()));
        }
        let mut bytes = std::fs::read(file).map_err(|error| failed("it cannot be read", error))?;
        clear(file, &mut bytes).map_err(Not::Failed)?;
        let all = |out: &mut File| out.write_all(&bytes).map_err(|error| error.to_string());
        write(&done.path, &metadata, in_place, all).map_err(Not::Failed)?;
    }
    if in_place {
        std::fs::rename(&done.path, file).map_err(|error| {
            let _ = std::fs::remove_file(&done.path); // the copy is unusable
            failed("it cannot be replaced", error)
        })?;
        done.path.clone_from(file);
    }
    Ok(done)
}

fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or(OsStr::new("file")).to_owned();
    name.push(more);
    path.with_file_name(name)
}

/// Creates the file `copy`, and calls `fill` to write its contents.
fn write(
    copy: &Path,
    like: &Metadata,
    same_owner: bool,
    fill: impl FnOnce(&mut File) -> Result<(), String>,
) -> Result<(), String> {
    let as_text = |error: io::Error| format!("the copy cannot be written: {error}");
    let mut out = system::create(copy).map_err(as_text)?;
    // A separate copy may belong to the user who requests it, but a replacement must keep the file's owner. The owner
    // is changed before the permissions, because the permissions are meant for that owner and group.
    let owned = system::give_owner(&out, like);
    let owned = if same_owner { owned.map_err(as_text) } else { Ok(()) };
    let done = owned
        .and_then(|()| fill(&mut out).map_err(|why| format!("the copy cannot be written: {why}")))
        .and_then(|()| system::give_rights(&out, like).map_err(as_text))
        .and_then(|()| out.sync_all().map_err(as_text));
    done.inspect_err(|_| {
        let _ = std::fs::remove_file(copy); // the copy is unusable
    })
}

/// Clears the executable-stack flag of an ELF file, or of an archive's members, wherever no code needs it.
fn clear(path: &Path, bytes: &mut [u8]) -> Result<(), String> {
    for part in parts(bytes, 0..bytes.len(), 0)? {
        let part = bytes.get_mut(part).ok_or("it is incomplete")?;
        if !asks(path, part) {
            continue;
        }
        clear_flag(part);
    }
    // The copy still requests an executable stack if `flags` missed the flag.
    if asks(path, bytes) { Err("no flag in it could be cleared".into()) } else { Ok(()) }
}

/// Clears the executable-stack flag of an x86-64 program, whether or not its code needs it. If the program has no
/// PT_GNU_STACK, turns a program header that has no effect at run time (an unused one or a PT_NOTE) into PT_GNU_STACK.
/// Returns whether the program then requests a non-executable stack.
#[cfg_attr(windows, allow(dead_code))] // used by `run --emulate`
pub fn deny_stack(bytes: &mut [u8]) -> bool {
    clear_flag(bytes);
    let Some(offset) = replaceable(bytes) else { return true };
    let words = [elf::PT_GNU_STACK.to_le_bytes(), (elf::PF_R | elf::PF_W).to_le_bytes()].concat();
    match offset.and_then(|at| bytes.get_mut(at..at + words.len())) {
        Some(header) => header.copy_from_slice(&words),
        None => return false,
    }
    true
}

/// Returns the offset of a program header that can become PT_GNU_STACK, if any. Returns `None` if the program has a
/// PT_GNU_STACK, or is not a 64-bit little-endian file.
#[cfg_attr(windows, allow(dead_code))] // used by `run --emulate`
fn replaceable(bytes: &[u8]) -> Option<Option<usize>> {
    let header = elf::FileHeader64::<Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok().filter(|it| *it == Endianness::Little)?;
    let segments = header.program_headers(endian, bytes).ok()?;
    let of = |kind| segments.iter().rposition(|it| it.p_type(endian) == kind);
    if of(elf::PT_GNU_STACK).is_some() {
        return None;
    }
    let number = of(elf::PT_NULL).or_else(|| of(elf::PT_NOTE));
    let start = usize::try_from(header.e_phoff(endian)).ok()?;
    Some(number.and_then(|it| start.checked_add(it * size_of::<elf::ProgramHeader64<Endianness>>())))
}

/// Clears the executable-stack flag of an ELF file, whether or not its code needs it.
fn clear_flag(bytes: &mut [u8]) {
    let flags = match bytes.get(4) {
        Some(2) => flags::<elf::FileHeader64<Endianness>>(bytes),
        _ => flags::<elf::FileHeader32<Endianness>>(bytes),
    };
    for (at, bit) in flags.unwrap_or_default() {
        if let Some(byte) = bytes.get_mut(at) {
            *byte &= !bit;
        }
    }
}

/// Returns whether an ELF file, or any member of an archive, requests an executable stack without needing one.
fn asks(path: &Path, bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(64)).unwrap_or_default();
    let found = contents::contents(&Location::of(path), head, &bytes, bytes.len() as u64, &Wants::default());
    let mut files = found.files.iter().filter(|it| it.location.inner.is_empty());
    files.any(|it| Verdict::of(&it.facts).may_be_cleared(&it.facts))
}

/// Returns the byte ranges of the files in an archive and its nested archives. For a file that is not an archive,
/// returns the range of the whole file.
fn parts(bytes: &[u8], whole: Range<usize>, depth: usize) -> Result<Vec<Range<usize>>, String> {
    let held = bytes.get(whole.clone()).ok_or("it is incomplete")?;
    if !held.starts_with(b"!<arch>\n") || depth > DEEPEST {
        return Ok(vec![whole]);
    }
    let archive = ArchiveFile::parse(held).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for member in archive.members() {
        let (start, len) = member.map_err(|error| error.to_string())?.file_range();
        let start = whole.start.saturating_add(start as usize);
        all.append(&mut parts(bytes, start..start.saturating_add(len as usize), depth + 1)?);
    }
    Ok(all)
}

/// Returns the offset of each byte with a flag that requests an executable stack, and the flag's bit mask in that byte.
fn flags<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> Option<Vec<(usize, u8)>> {
    let header = Elf::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    // PF_X is 1, and SHF_EXECINSTR is 4. Both flags are in the lowest byte of their field.
    let big = endian == Endianness::Big;
    let inside = |field: *const u8| field.addr().checked_sub(bytes.as_ptr().addr());
    let mut flags = Vec::new();
    for segment in header.program_headers(endian, bytes).ok()? {
        if segment.p_type(endian) == elf::PT_GNU_STACK {
            // p_flags is the second word of a 64-bit program header, and the seventh word of a 32-bit one.
            let word = if header.is_class_64() { 1 } else { 6 };
            let at = inside(core::ptr::from_ref(segment).cast::<u8>())? + 4 * word;
            flags.push((if big { at + 3 } else { at }, 1));
        }
    }
    if header.e_type(endian) == elf::ET_REL {
        let sections = header.sections(endian, bytes).ok()?;
        for note in sections.iter().filter(|it| sections.section_name(endian, it) == Ok(b".note.GNU-stack")) {
            // sh_flags is at offset 8 in both classes; it is 8 bytes wide in 64-bit files and 4 bytes wide in 32-bit
            // files.
            let at = inside(core::ptr::from_ref(note).cast::<u8>())? + 8;
            let size = if header.is_class_64() { 8 } else { 4 };
            flags.push((if big { at + size - 1 } else { at }, 4));
        }
    }
    Some(flags)
}
