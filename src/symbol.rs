//! The name of a function, found in the symbol table of the file it was loaded from.
//!
//! `dladdr` knows only what is exported, which internal procedures are not, and takes a lock.
//! This reads the file with nothing but system calls into memory on the stack (ELF
//! specification, generic ABI, chapters 4 and 5), so a signal handler may.

use crate::elf::{Header, IDENTITY, Section, Segment, Symbol, Word};
use crate::line::Line;
use crate::maps::{File, Mapping};
use core::mem::MaybeUninit;

const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;
const STT_FUNC: u8 = 2;

/// Structs that consist of numbers only, so that any bytes make one.
///
/// # Safety
/// They do.
unsafe trait Plain: Copy {}
// SAFETY: made of integers.
unsafe impl Plain for Header {}
// SAFETY: as above.
unsafe impl Plain for Segment {}
// SAFETY: as above.
unsafe impl Plain for Section {}
// SAFETY: as above.
unsafe impl Plain for Symbol {}

#[inline(never)]
fn read<T: Plain>(file: &File, offset: Word) -> Option<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: as many bytes as a `T` has, all initialised.
    let bytes = unsafe { core::slice::from_raw_parts_mut(value.as_mut_ptr().cast(), size_of::<T>()) };
    file.read_at(bytes, usize::try_from(offset).ok()?)?;
    // SAFETY: `Plain`.
    Some(unsafe { value.assume_init() })
}

/// Appends the name of the function at `address`, in parentheses, if it can be found.
pub(crate) fn append(line: &mut Line, address: usize) {
    let mut name = [0; 96];
    if let Some(len) = find(address, &mut name) {
        line.text(" (").bytes(name.get(..len).unwrap_or_default()).text(")");
    }
}

/// The name's length.
#[inline(never)]
fn find(address: usize, name: &mut [u8]) -> Option<usize> {
    let mapping = Mapping::of(address).filter(|mapping| mapping.readable && mapping.executable)?;
    let place = mapping.offset + (address - mapping.start);
    let file = [mapping.path(), c"/proc/self/exe"]
        .into_iter()
        .filter_map(File::open)
        .find(|file| same_bytes(file, place, address, mapping.end))?;

    let elf: Header = read(&file, 0)?;
    if !elf.e_ident.starts_with(&IDENTITY) {
        return None;
    }
    let mut segments = (0..Word::from(elf.e_phnum))
        .map_while(|number| read::<Segment>(&file, elf.e_phoff + number * Word::from(elf.e_phentsize)));
    let place = place as Word;
    let segment = segments
        .find(|s| s.p_type == libc::PT_LOAD && s.p_offset <= place && place - s.p_offset < s.p_filesz)?;
    let address = place - segment.p_offset + segment.p_vaddr;

    [SHT_SYMTAB, SHT_DYNSYM].into_iter().find_map(|kind| {
        let section =
            |number: Word| read::<Section>(&file, elf.e_shoff + number * Word::from(elf.e_shentsize));
        let table = (0..Word::from(elf.e_shnum)).map_while(section).find(|s| s.sh_type == kind)?;
        let names = section(Word::from(table.sh_link))?;
        let count = table.sh_size.checked_div(table.sh_entsize)?;
        let mut symbols =
            (0..count).map_while(|number| read::<Symbol>(&file, table.sh_offset + number * table.sh_entsize));
        let symbol = symbols.find(|s| {
            s.st_info & 15 == STT_FUNC
                && s.st_shndx != 0
                && (s.st_value..s.st_value + s.st_size.max(1)).contains(&address)
        })?;
        read_name(&file, (names.sh_offset + Word::from(symbol.st_name)) as usize, name)
    })
}

/// Whether the file is what was loaded here, as far as 16 bytes tell.
fn same_bytes(file: &File, place: usize, address: usize, end: usize) -> bool {
    let mut bytes = [0; 16];
    let len = bytes.len().min(end - address);
    let bytes = &mut bytes[..len];
    // SAFETY: this many bytes lie in a mapping that may be read.
    let loaded: &[u8] =
        unsafe { core::slice::from_raw_parts(core::ptr::with_exposed_provenance(address), len) };
    file.read_at(bytes, place).is_some() && *bytes == *loaded
}

fn read_name(file: &File, offset: usize, name: &mut [u8]) -> Option<usize> {
    for (len, place) in name.iter_mut().enumerate() {
        let mut byte = [0];
        file.read_at(&mut byte, offset + len)?;
        if byte[0] == 0 {
            return Some(len);
        }
        [*place] = byte;
    }
    Some(name.len())
}
