//! Names of functions, from the symbol tables of the files that contain them. The files are not trusted.

use crate::loading::{Path, program_in_memory};
use crate::message::Line;
use crate::module;
use crate::sys::{self, File, read_link};
use core::ffi::CStr;

/// Returns the path of the program.
pub fn program() -> Path {
    let mut link = [0; 1000];
    let len = read_link(c"/proc/self/exe", &mut link);
    let link = &link[..len];
    Path::of(&[program_in_memory(link).unwrap_or(link)]).unwrap_or(Path::EMPTY)
}

/// Adds `FUNCTION (FILE+OFFSET)` to the line, as far as the parts are known.
pub fn add(line: &mut Line, address: usize) {
    let Some(map) = module::of(address).and_then(|found| found.map()) else {
        line.hexadecimal(address);
        return;
    };
    let offset = address.wrapping_sub(map.base);
    // SAFETY: the name in the linker's record is null or a C string.
    let name = if map.name.is_null() { c"" } else { unsafe { CStr::from_ptr(map.name) } };
    let (open, shown) = match name.to_bytes() {
        b"" => (c"/proc/self/exe", program()),
        name_ => (name, Path::of(&[name_]).unwrap_or(Path::EMPTY)),
    };
    if let Some(file) = File::open(open)
        && let Some(stat) = file.stat()
        && let Ok(len) = usize::try_from(stat.st_size)
    {
        let memory = sys::map(len, Some(&file));
        if !memory.is_null() {
            // SAFETY: the mapping has this length. The access fails only if the file is truncated at this moment.
            let bytes = unsafe { core::slice::from_raw_parts(memory, len) };
            if let Some(name) = symbol(bytes, offset as u64) {
                line.text(&name[..name.len().min(120)]).text(b" ");
            }
            // SAFETY: the memory was mapped above, and `name` was copied from it.
            unsafe { sys::unmap(memory, len) };
        }
    }
    line.text(b"(").text(shown.bytes()).text(b"+").hexadecimal(offset).text(b")");
}

fn word(bytes: &[u8], at: u64) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: u64) -> Option<u32> {
    let at = usize::try_from(at).ok()?;
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// Returns the name of the function that contains an address in a 64-bit ELF file.
fn symbol(bytes: &[u8], address: u64) -> Option<&[u8]> {
    const SYMTAB: u32 = 2;
    const DYNSYM: u32 = 11;
    let sections = word(bytes, 0x28)?;
    let count = u64::from(half(bytes, 0x3c)? & 0xffff);
    let section = |number: u64| sections.checked_add(number.checked_mul(64)?);
    [SYMTAB, DYNSYM].into_iter().find_map(|kind| {
        let header =
            (0..count).find_map(|number| section(number).filter(|&at| half(bytes, at + 4) == Some(kind)))?;
        let (start, len) = (word(bytes, header + 24)?, word(bytes, header + 32)?);
        let strings = word(bytes, section(u64::from(half(bytes, header + 40)?))? + 24)?;
        (0..len / 24).find_map(|number| {
            let at = start.checked_add(number.checked_mul(24)?)?;
            let (value, size) = (word(bytes, at.checked_add(8)?)?, word(bytes, at.checked_add(16)?)?);
            let is_function = half(bytes, at.checked_add(4)?)? & 0xf == 2;
            if !is_function || address < value || address - value >= size {
                return None;
            }
            let name = strings.checked_add(u64::from(half(bytes, at)?))?;
            let name = bytes.get(usize::try_from(name).ok()?..)?;
            CStr::from_bytes_until_nul(name).ok().map(CStr::to_bytes)
        })
    })
}
