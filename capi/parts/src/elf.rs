//! Relocatable ELF files in memory: 32-bit and 64-bit, of both byte orders.

use crate::{Result, symbols_at};
use object::elf;
use object::read::elf::{FileHeader, Rela as _, SectionHeader as _, Sym as _};
use object::write::elf as out;
use object::{Endianness, FileKind, SectionIndex};

pub struct Object {
    pub endian: Endianness,
    pub is_64: bool,
    pub machine: u16,
    pub flags: u32,
    pub os_abi: u8,
    pub abi_version: u8,
    /// The sections, indexed as in the file: index 0 is the null section.
    pub sections: Vec<Section>,
    /// The symbols, indexed as in the file: index 0 is the null symbol.
    pub symbols: Vec<Symbol>,
}

#[derive(Clone, Default)]
pub struct Section {
    pub name: Vec<u8>,
    /// SHT_NULL for sections that are left out, including the tables that `write` makes.
    pub kind: u32,
    pub flags: u64,
    pub align: u64,
    pub entry_size: u64,
    /// The section to which `sh_link` refers, or 0.
    pub link: usize,
    pub data: Vec<u8>,
    /// The size of a section without data in the file (SHT_NOBITS).
    pub zeros: u64,
    pub relocations: Vec<Relocation>,
    /// Whether addends are in the relocations (RELA) or in the data (REL).
    pub has_addends: bool,
}

#[derive(Clone)]
pub struct Relocation {
    pub offset: u64,
    /// An index in the object's symbols, or 0.
    pub symbol: usize,
    pub kind: u32,
    pub addend: i64,
}

#[derive(Clone)]
pub struct Symbol {
    pub name: Vec<u8>,
    pub info: u8,
    pub other: u8,
    pub definition: Definition,
    pub value: u64,
    pub size: u64,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Definition {
    Undefined,
    Absolute,
    Section(usize),
}

impl Symbol {
    pub fn is_local(&self) -> bool {
        self.info >> 4 == elf::STB_LOCAL
    }

    pub fn kind(&self) -> u8 {
        self.info & 0xf
    }
}

impl Object {
    /// Returns an object for the same processor.
    pub fn with(&self, sections: Vec<Section>, symbols: Vec<Symbol>) -> Self {
        Self { sections, symbols, ..*self }
    }

    /// Returns the section in which a symbol is defined.
    pub fn section_of(&self, symbol: usize) -> Option<usize> {
        match self.symbols[symbol].definition {
            Definition::Section(section) => Some(section),
            Definition::Undefined | Definition::Absolute => None,
        }
    }

    pub fn word(&self, data: &[u8], offset: usize) -> Result<u32> {
        let bytes = data.get(offset..offset + 4).ok_or("a section ends within a word")?;
        let bytes = bytes.try_into().expect("four bytes");
        Ok(if self.is_big_endian() { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    pub fn set_word(&self, data: &mut [u8], offset: usize, word: u32) {
        let bytes = if self.is_big_endian() { word.to_be_bytes() } else { word.to_le_bytes() };
        data[offset..offset + 4].copy_from_slice(&bytes);
    }

    fn is_big_endian(&self) -> bool {
        self.endian == Endianness::Big
    }
}

pub fn read(data: &[u8]) -> Result<Object> {
    match FileKind::parse(data) {
        Ok(FileKind::Elf32) => read_class::<elf::FileHeader32<Endianness>>(data),
        Ok(FileKind::Elf64) => read_class::<elf::FileHeader64<Endianness>>(data),
        _ => Err("not an ELF file".into()),
    }
}

/// Hides the external functions: each program or shared object that links them calls its own copy. External variables
/// stay visible, because OpenMP's runtime finds them in a loaded object by their names.
pub fn hide_functions(data: &mut [u8]) -> Result<()> {
    match FileKind::parse(&*data) {
        Ok(FileKind::Elf32) => {
            hide_in_class::<elf::FileHeader32<Endianness>>(data, |symbol| &mut symbol.st_other)
        }
        Ok(FileKind::Elf64) => {
            hide_in_class::<elf::FileHeader64<Endianness>>(data, |symbol| &mut symbol.st_other)
        }
        _ => Err("not an ELF file".into()),
    }
}

/// As `hide_functions`. `other` returns the field `st_other`, which the trait does not allow to be changed.
fn hide_in_class<Elf: FileHeader<Endian = Endianness>>(
    data: &mut [u8],
    other: fn(&mut Elf::Sym) -> &mut u8,
) -> Result<()> {
    let header = Elf::parse(&*data)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, &*data)?;
    let table = sections.symbols(endian, &*data, elf::SHT_SYMTAB)?;
    let start: u64 = sections.section(table.section())?.sh_offset(endian).into();
    let count = table.len();
    for symbol in symbols_at::<Elf::Sym>(data, start as usize, count)? {
        if symbol.st_type() == elf::STT_FUNC && !symbol.is_local() && !symbol.is_undefined(endian) {
            let other = other(symbol);
            *other = hidden(*other);
        }
    }
    Ok(())
}

/// Returns the value of the field `st_other` after hiding its symbol.
pub fn hidden(other: u8) -> u8 {
    other & !3 | elf::STV_HIDDEN
}

fn read_class<Elf: FileHeader<Endian = Endianness>>(data: &[u8]) -> Result<Object> {
    let header = Elf::parse(data)?;
    let endian = header.endian()?;
    let is_mips64el = header.is_mips64el(endian);
    let table = header.sections(endian, data)?;
    let symbol_table = table.symbols(endian, data, elf::SHT_SYMTAB)?;
    let mut sections = vec![Section::default(); table.len()];
    for (index, section) in table.enumerate().skip(1) {
        let kind = section.sh_type(endian);
        let target = section.sh_info(endian) as usize;
        if matches!(kind, elf::SHT_REL | elf::SHT_RELA) {
            // The addend of a relocation from REL is 0.
            let entries: Vec<Elf::Rela> = match section.rel(endian, data)? {
                Some((rel, _)) => rel.iter().map(|&rel| rel.into()).collect(),
                None => section.rela(endian, data)?.map_or(Vec::new(), |(rela, _)| rela.to_vec()),
            };
            let of = sections.get_mut(target).ok_or("a relocation section is invalid")?;
            of.relocations = entries
                .iter()
                .map(|entry| Relocation {
                    offset: entry.r_offset(endian).into(),
                    symbol: entry.symbol(endian, is_mips64el).map_or(0, |symbol| symbol.0),
                    kind: entry.r_type(endian, is_mips64el),
                    addend: entry.r_addend(endian).into(),
                })
                .collect();
            of.has_addends = kind == elf::SHT_RELA;
            continue;
        }
        // Groups are dissolved: their symbols are local, so a copy in another file could not replace them. LLVM's list of
        // symbols whose addresses matter contains indices that objcopy has made invalid.
        const LLVM_ADDRSIG: u32 = 0x6fff_4c03;
        let is_left_out = matches!(
            kind,
            elf::SHT_SYMTAB | elf::SHT_STRTAB | elf::SHT_SYMTAB_SHNDX | elf::SHT_GROUP | LLVM_ADDRSIG
        );
        if is_left_out {
            continue;
        }
        let link = section.sh_link(endian) as usize;
        let of = &mut sections[index.0];
        of.name = table.section_name(endian, section)?.to_vec();
        of.kind = kind;
        of.flags = section.sh_flags(endian).into() & !u64::from(elf::SHF_GROUP);
        of.align = section.sh_addralign(endian).into();
        of.entry_size = section.sh_entsize(endian).into();
        of.link = if of.flags & u64::from(elf::SHF_LINK_ORDER) != 0 { link } else { 0 };
        if kind == elf::SHT_NOBITS {
            of.zeros = section.sh_size(endian).into();
        } else {
            of.data = section.data(endian, data)?.to_vec();
        }
    }
    let null =
        Symbol { name: Vec::new(), info: 0, other: 0, definition: Definition::Undefined, value: 0, size: 0 };
    let mut symbols = vec![null];
    for (index, symbol) in symbol_table.enumerate().skip(1) {
        let definition = match symbol_table.symbol_section(endian, symbol, index)? {
            Some(SectionIndex(section)) if section < sections.len() => Definition::Section(section),
            None if symbol.st_shndx(endian) == elf::SHN_UNDEF => Definition::Undefined,
            None if symbol.st_shndx(endian) == elf::SHN_ABS => Definition::Absolute,
            _ => return Err("a symbol is invalid, or common".into()),
        };
        symbols.push(Symbol {
            name: symbol_table.symbol_name(endian, symbol)?.to_vec(),
            info: symbol.st_info(),
            other: symbol.st_other(),
            definition,
            value: symbol.st_value(endian).into(),
            size: symbol.st_size(endian).into(),
        });
    }
    let refers_outside = |relocation: &Relocation| relocation.symbol >= symbols.len();
    if sections
        .iter()
        .any(|section| section.link >= sections.len() || section.relocations.iter().any(refers_outside))
    {
        return Err("a section refers to a section or symbol that does not exist".into());
    }
    Ok(Object {
        endian,
        is_64: header.is_type_64(),
        machine: header.e_machine(endian),
        flags: header.e_flags(endian),
        os_abi: header.e_ident().os_abi,
        abi_version: header.e_ident().abi_version,
        sections,
        symbols,
    })
}

/// Writes an object. Its local symbols must precede all others.
pub fn write(object: &Object) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let section_names: Vec<Vec<u8>> = object
        .sections
        .iter()
        .map(|section| {
            let prefix: &[u8] = if section.has_addends { b".rela" } else { b".rel" };
            [prefix, &section.name].concat()
        })
        .collect();
    let mut writer = out::Writer::new(object.endian, object.is_64, &mut file);
    writer.reserve_file_header();
    writer.reserve_null_section_index();
    let mut names = vec![None];
    for section in &object.sections[1..] {
        names.push(Some(writer.add_section_name(&section.name)));
        writer.reserve_section_index();
    }
    let mut relocation_names = vec![None; object.sections.len()];
    for (index, section) in object.sections.iter().enumerate() {
        if !section.relocations.is_empty() {
            relocation_names[index] = Some(writer.add_section_name(&section_names[index]));
            writer.reserve_section_index();
        }
    }
    writer.reserve_null_symbol_index();
    let mut symbol_names = vec![None];
    for symbol in &object.symbols[1..] {
        symbol_names.push((!symbol.name.is_empty()).then(|| writer.add_string(&symbol.name)));
        writer.reserve_symbol_index(None);
    }
    writer.require_strtab();
    let symbol_table = writer.reserve_symtab_section_index();
    writer.reserve_strtab_section_index();
    writer.reserve_shstrtab_section_index();

    let mut offsets = vec![0];
    for section in &object.sections[1..] {
        offsets.push(writer.reserve(section.data.len(), section.align.max(1) as usize));
    }
    let mut relocation_offsets = vec![0; object.sections.len()];
    for (index, section) in object.sections.iter().enumerate() {
        if !section.relocations.is_empty() {
            relocation_offsets[index] =
                writer.reserve_relocations(section.relocations.len(), section.has_addends);
        }
    }
    writer.reserve_symtab();
    writer.reserve_strtab();
    writer.reserve_shstrtab();
    writer.reserve_section_headers();

    writer.write_file_header(&out::FileHeader {
        os_abi: object.os_abi,
        abi_version: object.abi_version,
        e_type: elf::ET_REL,
        e_machine: object.machine,
        e_entry: 0,
        e_flags: object.flags,
    })?;
    for (index, section) in object.sections.iter().enumerate().skip(1) {
        writer.pad_until(offsets[index]);
        writer.write(&section.data);
    }
    for section in &object.sections {
        if !section.relocations.is_empty() {
            writer.write_align_relocation();
        }
        for relocation in &section.relocations {
            let relocation = out::Rel {
                r_offset: relocation.offset,
                r_sym: relocation.symbol as u32,
                r_type: relocation.kind,
                r_addend: relocation.addend,
            };
            writer.write_relocation(section.has_addends, &relocation);
        }
    }
    writer.write_null_symbol();
    for (index, symbol) in object.symbols.iter().enumerate().skip(1) {
        let (section, st_shndx) = match symbol.definition {
            Definition::Undefined => (None, elf::SHN_UNDEF),
            Definition::Absolute => (None, elf::SHN_ABS),
            Definition::Section(section) => (Some(out::SectionIndex(section as u32)), 0),
        };
        writer.write_symbol(&out::Sym {
            name: symbol_names[index],
            section,
            st_info: symbol.info,
            st_other: symbol.other,
            st_shndx,
            st_value: symbol.value,
            st_size: symbol.size,
        });
    }
    writer.write_strtab();
    writer.write_shstrtab();
    writer.write_null_section_header();
    for (index, section) in object.sections.iter().enumerate().skip(1) {
        writer.write_section_header(&out::SectionHeader {
            name: names[index],
            sh_type: section.kind,
            sh_flags: section.flags,
            sh_addr: 0,
            sh_offset: offsets[index] as u64,
            sh_size: section.data.len() as u64 + section.zeros,
            sh_link: section.link as u32,
            sh_info: 0,
            sh_addralign: section.align,
            sh_entsize: section.entry_size,
        });
    }
    for (index, section) in object.sections.iter().enumerate() {
        if let Some(name) = relocation_names[index] {
            writer.write_relocation_section_header(
                name,
                out::SectionIndex(index as u32),
                symbol_table,
                relocation_offsets[index],
                section.relocations.len(),
                section.has_addends,
            );
        }
    }
    let locals = object.symbols.iter().take_while(|symbol| symbol.is_local()).count();
    writer.write_symtab_section_header(locals as u32);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    Ok(file)
}
