//! Function symbols of an ELF file.

use super::budget::{Budget, Limited};
use object::elf::{FileHeader64, SHT_DYNSYM, SHT_SYMTAB, STT_FUNC, STT_GNU_IFUNC};
use object::read::elf::{FileHeader, Sym};
use object::{LittleEndian, ReadCache};
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Maximum number of preceding symbols to check for the function that contains an address.
const MOST_BEFORE: usize = 64;
/// Maximum length of a name in bytes.
pub const LONGEST_NAME: usize = 1 << 16;

/// The functions in a file, for lookups by address.
pub struct Functions {
    file: File,
    /// The functions, sorted by address. Functions with equal addresses are in the reverse order of their symbols in
    /// the file.
    list: Vec<Function>,
    /// The byte ranges of the two string tables in the file.
    names: [Range<u64>; 2],
}

struct Function {
    address: u64,
    size: u64,
    name: u32,
    table: u8,
}

impl Functions {
    /// Reads the file's symbols, including those for the dynamic loader.
    pub fn of(file: File, budget: &Budget) -> Option<Self> {
        let mut list = vec![];
        let mut names = [0..0, 0..0];
        let cache = ReadCache::new(&file);
        let data = Limited { data: &cache, budget };
        let header = FileHeader64::<LittleEndian>::parse(data).ok()?;
        let sections = header.sections(LittleEndian, data).ok()?;
        for (number, kind) in [SHT_SYMTAB, SHT_DYNSYM].into_iter().enumerate() {
            let Ok(table) = sections.symbols(LittleEndian, data, kind) else { continue };
            let Ok(strings) = sections.section(table.string_section()) else { continue };
            let start = strings.sh_offset.get(LittleEndian);
            if let Some(names) = names.get_mut(number) {
                *names = start..start.saturating_add(strings.sh_size.get(LittleEndian));
            }
            let code = table.iter().filter(|symbol| {
                [STT_FUNC, STT_GNU_IFUNC].contains(&symbol.st_type()) && symbol.st_shndx(LittleEndian) != 0
            });
            list.extend(code.map(|symbol| Function {
                address: symbol.st_value(LittleEndian),
                size: symbol.st_size(LittleEndian).max(1),
                name: symbol.st_name(LittleEndian),
                table: number as u8,
            }));
        }
        list.reverse();
        list.sort_by_key(|function| function.address);
        Some(Functions { file, list, names })
    }

    /// Returns the name of the function that contains an address.
    pub fn name_at(&self, address: u64) -> Option<Vec<u8>> {
        let behind = self.list.partition_point(|function| function.address <= address);
        let before = self.list.get(..behind)?.iter().rev().take(MOST_BEFORE);
        let mut around = before.filter(|function| address - function.address < function.size);
        around.find_map(|function| {
            let names = self.names.get(usize::from(function.table))?;
            let start = names.start.checked_add(function.name.into())?;
            let len = names.end.checked_sub(start)?.min(LONGEST_NAME as u64);
            let mut name = read_up_to(&self.file, start, len as usize)?;
            name.truncate(name.iter().position(|&byte| byte == 0)?);
            (!name.is_empty()).then_some(name)
        })
    }
}

/// Reads `len` bytes, or fewer if the file ends first.
fn read_up_to(file: &File, start: u64, len: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; len];
    let read = file.read_at(&mut bytes, start).ok()?;
    bytes.truncate(read);
    Some(bytes)
}
