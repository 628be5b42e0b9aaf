//! The name of a function, found in the symbol table of the file it was loaded from.
//!
//! `dladdr` knows only what is exported, which internal procedures are not, and takes a lock.
//! This reads the file with nothing but system calls into memory on the stack (ELF
//! specification, generic ABI, chapters 4 and 5), so a signal handler may.
//!
//! What a file says of itself may be wrong, by accident or on purpose: then there is no name.
//! Nothing it says leads outside of the buffers here, and how much is read of it is bounded.

use crate::elf::{Header, IDENTITY, Section, Segment, Symbol, Word};
use crate::line::Line;
use crate::maps::{File, Mapping};
use crate::unnoticed::Unnoticed;
use core::mem::MaybeUninit;

const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;
const STT_FUNC: u8 = 2;

/// More symbols are not looked through: a few hundredths of a second.
const MOST_SYMBOLS: Word = 1 << 22;

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

impl File {
    /// A struct at a place in the file.
    #[inline(never)]
    fn get<T: Plain>(&self, offset: Word) -> Option<T> {
        let mut value = MaybeUninit::<T>::zeroed();
        // SAFETY: as many bytes as a `T` has, all initialised.
        let bytes = unsafe { core::slice::from_raw_parts_mut(value.as_mut_ptr().cast(), size_of::<T>()) };
        self.read_at(bytes, u64::from(offset))?;
        // SAFETY: `Plain`.
        Some(unsafe { value.assume_init() })
    }

    /// Number `number` of a table of these.
    fn get_nth<T: Plain>(&self, table: Word, number: Word) -> Option<T> {
        self.get(table.checked_add(number.checked_mul(size_of::<T>() as Word)?)?)
    }
}

/// Appends the name of the function at `address`, in parentheses, if it can be found.
pub(crate) fn append(line: &mut Line, address: usize) {
    let mut name = [0; 96];
    if let Some(len) = find(address, &mut name) {
        line.text(" (").foreign(name.get(..len).unwrap_or_default()).text(")");
    }
}

/// The name's length.
#[inline(never)]
fn find(address: usize, name: &mut [u8]) -> Option<usize> {
    let _unnoticed = Unnoticed::new();
    let mapping = Mapping::of(address).filter(|mapping| mapping.executable)?;
    find_in(&mapping.open()?, mapping.offset_of(address) as Word, name)
}

/// The same of the function whose code is at `place` in a file.
pub(crate) fn find_in(file: &File, place: Word, name: &mut [u8]) -> Option<usize> {
    let elf: Header = file.get(0)?;
    let sizes = (usize::from(elf.e_phentsize), usize::from(elf.e_shentsize));
    if !elf.e_ident.starts_with(&IDENTITY) || sizes != (size_of::<Segment>(), size_of::<Section>()) {
        return None;
    }
    let mut segments =
        (0..Word::from(elf.e_phnum)).map_while(|number| file.get_nth::<Segment>(elf.e_phoff, number));
    let segment = segments
        .find(|s| s.p_type == libc::PT_LOAD && s.p_offset <= place && place - s.p_offset < s.p_filesz)?;
    let address = (place - segment.p_offset).wrapping_add(segment.p_vaddr);

    [SHT_SYMTAB, SHT_DYNSYM].into_iter().find_map(|kind| {
        let section = |number: Word| file.get_nth::<Section>(elf.e_shoff, number);
        let table = (0..Word::from(elf.e_shnum)).map_while(section).find(|s| s.sh_type == kind)?;
        if table.sh_entsize != size_of::<Symbol>() as Word || table.sh_link >= u32::from(elf.e_shnum) {
            return None;
        }
        let names = section(Word::from(table.sh_link))?;
        let symbol = find_symbol(file, &table, address)?;
        read_name(file, names.sh_offset.checked_add(Word::from(symbol.st_name))?, name)
    })
}

/// The function at `address`, as its file was linked.
fn find_symbol(file: &File, table: &Section, address: Word) -> Option<Symbol> {
    let mut bytes = [0; 21 * size_of::<Symbol>()];
    let (mut at, mut left) = (table.sh_offset, (table.sh_size / table.sh_entsize).min(MOST_SYMBOLS));
    while left > 0 {
        let got = file.read_some_at(&mut bytes, u64::from(at));
        let (symbols, _) = bytes.get(..got)?.as_chunks::<{ size_of::<Symbol>() }>();
        let symbols = symbols.get(..symbols.len().min(left as usize)).filter(|some| !some.is_empty())?;
        for symbol in symbols {
            // SAFETY: `Plain`, and as many bytes.
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

/// Reads a name, as far as there is room for it: its length. `None` if there is none.
fn read_name(file: &File, offset: Word, name: &mut [u8]) -> Option<usize> {
    let got = file.read_some_at(name, u64::from(offset));
    let name = name.get(..got)?;
    let len = name.iter().position(|&byte| byte == 0).unwrap_or(got);
    (len > 0).then_some(len)
}
