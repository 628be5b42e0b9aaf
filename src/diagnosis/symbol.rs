//! Looks up a function's name in the symbol table of the file from which the function was loaded.
//!
//! `dladdr` takes a lock, and finds only exported symbols, so it never finds an internal procedure. This code is
//! async-signal-safe: it reads the file (ELF specification, generic ABI, chapters 4 and 5) only with system calls, into
//! memory on the stack.
//!
//! If the file is damaged or malicious, the name might be missing or incorrect. However, no contents can cause an
//! access outside this module's buffers, and the number of bytes read is bounded.

use crate::message::Message;
use crate::os::elf::{Header, IDENTITY, ProgramHeader, Section, Symbol, Word};
use crate::os::maps::{File, Mapping};
use core::mem::MaybeUninit;

const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;
const STT_FUNC: u8 = 2;

/// Maximum number of symbols to search. Searching this many symbols takes tens of milliseconds.
const MOST_SYMBOLS: Word = 1 << 22;

/// A type made up of integers only, so that any byte pattern is a valid value.
///
/// # Safety
/// Every field must be an integer, and there must be no padding.
unsafe trait OfIntegers: Copy {}
// SAFETY: the struct consists of integers.
unsafe impl OfIntegers for Header {}
// SAFETY: as above.
unsafe impl OfIntegers for ProgramHeader {}
// SAFETY: as above.
unsafe impl OfIntegers for Section {}
// SAFETY: as above.
unsafe impl OfIntegers for Symbol {}
// SAFETY: `u8` is an integer.
unsafe impl OfIntegers for u8 {}

impl File {
    /// Reads a struct at an offset in the file.
    #[inline(never)]
    fn get<T: OfIntegers>(&self, offset: Word) -> Option<T> {
        let mut value = MaybeUninit::<T>::zeroed();
        // SAFETY: `bytes` covers exactly `value`, and all of these bytes are initialized.
        let bytes = unsafe { core::slice::from_raw_parts_mut(value.as_mut_ptr().cast(), size_of::<T>()) };
        self.read_at(bytes, offset)?;
        // SAFETY: `OfIntegers` guarantees that any byte pattern is a valid value.
        Some(unsafe { value.assume_init() })
    }

    /// Reads element `number` of a table in the file.
    fn get_nth<T: OfIntegers>(&self, table: Word, number: Word) -> Option<T> {
        self.get(table.checked_add(number.checked_mul(size_of::<T>() as Word)?)?)
    }
}

/// Appends, in parentheses, the name of the function at `address`, if it can be found.
pub(crate) fn append(message: &mut Message, address: usize) {
    if let Some((file, name)) = find(address) {
        append_name(message, &file, name);
    }
}

/// Size in bytes of the chunks in which names are read. A Rust name longer than one chunk is printed mangled.
const PIECE: usize = 1024;
/// Maximum length of a name. Only the beginning of a longer name is printed, followed by `...`.
const LONGEST: usize = 1 << 16;

/// Appends the name at an offset in a file, in parentheses.
#[inline(never)]
pub(crate) fn append_name(message: &mut Message, file: &File, offset: Word) {
    let mut bytes = [0; PIECE];
    let mut so_far = 0;
    message.text(" (");
    while so_far < LONGEST {
        let got = file.read_some_at(&mut bytes, offset.saturating_add(so_far as Word));
        let held = bytes.get(..got).unwrap_or_default();
        let end = held.iter().position(|&byte| byte == 0);
        let piece = held.get(..end.unwrap_or(got)).unwrap_or_default();
        let is_whole = so_far == 0 && end.is_some();
        if !(is_whole && append_demangled(message, piece)) {
            message.foreign(piece);
        }
        if end.is_some() || piece.is_empty() {
            message.text(")");
            return;
        }
        so_far += piece.len();
    }
    message.text("...)");
}

/// Appends a Rust name in demangled form. Returns false if `name` is not a mangled Rust name, or if this crate is
/// built without `std`.
fn append_demangled(message: &mut Message, name: &[u8]) -> bool {
    #[cfg(feature = "std")]
    if let Some(demangled) =
        core::str::from_utf8(name).ok().and_then(|name| rustc_demangle::try_demangle(name).ok())
    {
        use core::fmt::Write;
        let _ = write!(Foreign(message), "{demangled:#}"); // `#` omits the hash
        return true;
    }
    let _ = (message, name);
    false
}

/// A writer for text from an untrusted file ([`Message::foreign`]).
#[cfg(feature = "std")]
struct Foreign<'m>(&'m mut Message);

#[cfg(feature = "std")]
impl core::fmt::Write for Foreign<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.0.foreign(text.as_bytes());
        Ok(())
    }
}

/// Returns the file that contains the function at `address`, and the file offset of the function's name.
#[inline(never)]
fn find(address: usize) -> Option<(File, Word)> {
    let mapping = Mapping::of(address).filter(|mapping| mapping.executable)?;
    let file = mapping.open()?.file;
    let name = find_in(&file, mapping.offset_of(address) as Word)?;
    Some((file, name))
}

/// Returns the file offset of a function's name. `offset` is the file offset of any byte in the function's code.
pub(crate) fn find_in(file: &File, offset: Word) -> Option<Word> {
    let elf: Header = file.get(0)?;
    let sizes = (usize::from(elf.e_phentsize), usize::from(elf.e_shentsize));
    if !elf.e_ident.starts_with(&IDENTITY) || sizes != (size_of::<ProgramHeader>(), size_of::<Section>()) {
        return None;
    }
    let mut segments =
        (0..Word::from(elf.e_phnum)).map_while(|number| file.get_nth::<ProgramHeader>(elf.e_phoff, number));
    let segment = segments
        .find(|s| s.p_type == libc::PT_LOAD && s.p_offset <= offset && offset - s.p_offset < s.p_filesz)?;
    let address = (offset - segment.p_offset).wrapping_add(segment.p_vaddr);

    [SHT_SYMTAB, SHT_DYNSYM].into_iter().find_map(|kind| {
        let section = |number: Word| file.get_nth::<Section>(elf.e_shoff, number);
        let table = (0..Word::from(elf.e_shnum)).map_while(section).find(|s| s.sh_type == kind)?;
        if table.sh_entsize != size_of::<Symbol>() as Word || table.sh_link >= u32::from(elf.e_shnum) {
            return None;
        }
        let names = section(Word::from(table.sh_link))?;
        let symbol = find_symbol(file, &table, address)?;
        let name = names.sh_offset.checked_add(Word::from(symbol.st_name))?;
        file.get::<u8>(name).filter(|&first| first != 0).map(|_| name)
    })
}

/// Returns the symbol of the function whose code contains this link-time address.
fn find_symbol(file: &File, table: &Section, address: Word) -> Option<Symbol> {
    let mut bytes = [0; 21 * size_of::<Symbol>()];
    let (mut at, mut left) = (table.sh_offset, (table.sh_size / table.sh_entsize).min(MOST_SYMBOLS));
    while left > 0 {
        let got = file.read_some_at(&mut bytes, at);
        let (symbols, _) = bytes.get(..got)?.as_chunks::<{ size_of::<Symbol>() }>();
        let symbols = symbols.get(..symbols.len().min(left as usize)).filter(|some| !some.is_empty())?;
        for symbol in symbols {
            // SAFETY: `OfIntegers` guarantees that any byte pattern is a valid value, and the slice has the size of a
            // symbol.
            let symbol = unsafe { symbol.as_ptr().cast::<Symbol>().read_unaligned() };
            let is_function = symbol.st_info & 15 == STT_FUNC && symbol.st_shndx != 0;
            if is_function && address.wrapping_sub(symbol.st_value) < symbol.st_size.max(1) {
                return Some(symbol);
            }
        }
        at = at.checked_add((symbols.len() * size_of::<Symbol>()) as Word)?;
        left -= symbols.len() as Word;
    }
    None
}
