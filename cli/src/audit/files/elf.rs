//! ELF files: the stack flag, and code that writes trampolines.
//!
//! Headers and code of every file are read, the code in pieces. Symbols, debug information and this library's table are
//! read only if the file has something to report.

use super::facts::{Asks, Call, Facts, Format, Relro, Unjudged, WritableCode, Written};
use super::machine::{self, Outside};
use super::names::{self, Names};
use super::wants::Wants;
use crate::audit::code::debug::{self, Debug};
use crate::audit::code::patterns::{self, Copies, Site};
use crate::audit::input::{Cached, Input};
use crate::audit::table;
use object::elf;
use object::read::ReadRef;
use object::read::elf::{Dyn, ElfFile, FileHeader, ProgramHeader, SectionHeader, SectionTable};
use object::{Architecture, Endianness, Object, ObjectSection, ObjectSymbol, RelocationTarget};

/// Limit for one kind of finding in a file; a compiler generates fewer.
const MOST: usize = 10_000;
/// Maximum length of `.comment` in bytes.
const LONGEST_COMMENT: u64 = 1 << 20;
const MOST_COMPILERS: usize = 64;
/// Maximum length of build attributes in bytes.
const LONGEST_ATTRIBUTES: u64 = 1 << 16;

const DUMP: &str = "a core dump, not a program";
pub const DETACHED: &str = "debug information only, without code";

/// A place where code writes a trampoline: section (of a relocatable file), address, and the pattern.
type Found = (Option<usize>, u64, Site);

/// The facts of an ELF file of either class; or a description of a file without code.
pub fn facts(input: Input<'_>, wants: &Wants, details: bool) -> Result<Result<Facts, &'static str>, String> {
    let mut class = [0; 5];
    input.fill(0, &mut class).map_err(|()| "it ends in its header")?;
    let facts = match class[4] {
        2 => of::<elf::FileHeader64<Endianness>>(input, wants, details),
        _ => of::<elf::FileHeader32<Endianness>>(input, wants, details),
    };
    if input.is_spent() {
        return Err(input.why_unreadable());
    }
    facts.map_err(|why| format!("a broken ELF file: {why}"))
}

struct File<'c, 'a, Elf: FileHeader<Endian = Endianness>> {
    header: &'c Elf,
    segments: &'c [Elf::ProgramHeader],
    sections: SectionTable<'c, Elf, Cached<'c, 'a>>,
    data: Cached<'c, 'a>,
    input: Input<'a>,
    endian: Endianness,
    facts: Facts,
    found: Vec<Found>,
    /// Whether notes or section names mention this library.
    has_table: bool,
}

fn of<Elf>(input: Input<'_>, wants: &Wants, details: bool) -> Result<Result<Facts, &'static str>, String>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let cache = input.cached();
    let data = Cached(&cache);
    let header = Elf::parse(data).map_err(|error| error.to_string())?;
    let endian = header.endian().map_err(|error| error.to_string())?;
    let linked = match header.e_type(endian) {
        elf::ET_CORE => return Ok(Err(DUMP)),
        kind => kind != elf::ET_REL,
    };
    let segments = header.program_headers(endian, data).map_err(|error| error.to_string())?;
    let number = header.e_machine(endian);
    let mut facts = Facts::new(Format::Elf, linked, machine::of_elf(number, header.is_class_64()));
    facts.outside = machine::outside(number, header.e_ident().os_abi);
    if !wants.takes(facts.machine) {
        return Ok(Ok(facts)); // the caller leaves it out
    }
    let sections = if linked && wants.quick {
        SectionTable::default()
    } else {
        header.sections(endian, data).map_err(|error| error.to_string())?
    };
    let mut all =
        File { header, segments, sections, data, input, endian, facts, found: Vec::new(), has_table: false };
    if linked && all.is_detached() {
        return Ok(Err(DETACHED));
    }
    if linked {
        all.linked(wants)?
    } else {
        all.relocatable(wants)?
    }
    let facts = &all.facts;
    let is_reported = !all.found.is_empty()
        || facts.asks != Asks::No
        || facts.text_relocations
        || !facts.writable_code.is_empty()
        || all.has_table
        || !facts.calls.is_empty();
    let is_searched = !wants.quick && (facts.outside.is_none() || all.has_table);
    if is_searched && (details || is_reported || all.mentions_trampolines()?) {
        let file = ElfFile::<Elf, Cached<'_, '_>>::parse(data).map_err(|error| error.to_string())?;
        all.details(&file);
    }
    if wants.quick {
        all.facts.unjudged.get_or_insert(Unjudged::Quick);
    } else if !patterns::known(all.facts.machine) {
        all.facts.unjudged.get_or_insert(Unjudged::Machine);
    }
    Ok(Ok(all.facts))
}

impl<'c, 'a, Elf: FileHeader<Endian = Endianness>> File<'c, 'a, Elf> {
    /// Collects the facts of a linked file from its loaded segments.
    fn linked(&mut self, wants: &Wants) -> Result<(), String> {
        let endian = self.endian;
        let (mut relro, mut now, mut interpreted, mut dynamic) = (false, false, false, false);
        for header in self.segments {
            let flags = header.p_flags(endian);
            match header.p_type(endian) {
                elf::PT_GNU_STACK => {
                    self.facts.asks = if flags & elf::PF_X != 0 { Asks::Yes } else { Asks::No };
                }
                elf::PT_GNU_RELRO => relro = true,
                elf::PT_INTERP => interpreted = true,
                elf::PT_LOAD => {
                    if flags & (elf::PF_X | elf::PF_W) == elf::PF_X | elf::PF_W
                        && self.facts.writable_code.len() < MOST
                    {
                        let address = header.p_vaddr(endian).into();
                        self.facts.writable_code.push(WritableCode { address, section: None });
                    }
                    if !wants.quick && self.facts.outside.is_none() {
                        self.segment(header)?;
                    }
                }
                elf::PT_DYNAMIC if wants.quick => dynamic = true,
                elf::PT_DYNAMIC => {
                    dynamic = true;
                    now |= self.dynamic(header);
                }
                elf::PT_NOTE if !wants.quick => {
                    let Ok(notes) = header.data(endian, self.data) else { continue };
                    self.has_table |= memchr::memmem::find(notes, b"statictramp").is_some();
                    let Ok(Some(notes)) = header.notes(endian, self.data) else { continue };
                    self.properties(notes);
                }
                _ => {}
            }
        }
        self.facts.is_static = !interpreted && !dynamic;
        self.facts.is_library |= !interpreted && self.header.e_type(endian) == elf::ET_DYN;
        for section in self.sections.iter() {
            let name = self.sections.section_name(endian, section).unwrap_or_default();
            let name = String::from_utf8_lossy(name);
            self.has_table |= name == table::NOTE;
            self.writable_section(section.sh_flags(endian).into(), &name, section.sh_addr(endian).into());
            self.attributes(section);
        }
        self.facts.protection.relro = match (relro, now) {
            (false, _) => Relro::None,
            (true, false) => Relro::Partial,
            (true, true) => Relro::Full,
        };
        if self.is_packed() {
            self.facts.unjudged = Some(Unjudged::Packed);
        }
        if !wants.quick && self.facts.outside.is_none() {
            self.find_copies()?;
        }
        Ok(())
    }

    /// Searches a loaded segment.
    fn segment(&mut self, header: &Elf::ProgramHeader) -> Result<(), String> {
        let (endian, machine) = (self.endian, self.facts.machine);
        let executable = header.p_flags(endian) & elf::PF_X != 0;
        let templates = !executable && machine == Architecture::X86_64;
        if !patterns::may_be_in(machine, executable) && !templates || self.found.len() > MOST {
            return Ok(());
        }
        let (at, len) = (header.p_offset(endian).into(), header.p_filesz(endian).into());
        let start: u64 = header.p_vaddr(endian).into();
        let mut has_heap = false;
        self.input.pieces(at, len, |piece| {
            // A stripped program that contains libgcc has no other sign of heap trampolines.
            has_heap |= templates && patterns::gcc_heap_template(piece.bytes);
            for site in patterns::search(machine, piece.bytes, executable) {
                if piece.own.contains(&site.offset) {
                    let address = start.wrapping_add(piece.start).wrapping_add(site.offset as u64);
                    self.found.push((None, address, site));
                }
            }
            self.found.len() <= MOST
        })?;
        if has_heap {
            self.facts.calls.push(Call::GccHeap);
        }
        Ok(())
    }

    /// Replaces each template by the code that copies it to the stack, if there is such code.
    fn find_copies(&mut self) -> Result<(), String> {
        let templates = self.found.iter().filter(|(.., site)| site.doubt == Some(patterns::Doubt::Template));
        let mut copies = Copies::of(self.facts.machine, templates.map(|&(_, address, _)| address));
        if copies.is_empty() {
            return Ok(());
        }
        for header in self.segments.iter().filter(|it| it.p_type(self.endian) == elf::PT_LOAD) {
            if header.p_flags(self.endian) & elf::PF_X == 0 {
                continue;
            }
            let start: u64 = header.p_vaddr(self.endian).into();
            let (at, len) = (header.p_offset(self.endian).into(), header.p_filesz(self.endian).into());
            self.input.pieces(at, len, |piece| {
                copies.search(piece.bytes, start.wrapping_add(piece.start), piece.own);
                copies.found.len() <= MOST
            })?;
        }
        let is_copied = |address: u64| copies.found.iter().any(|it| it.template == address);
        let mut copied = Vec::new();
        for it in &copies.found {
            let found = self.found.iter().find(|&&(_, address, _)| address == it.template);
            copied.extend(found.map(|&(_, _, site)| (None, it.code, Site { doubt: it.doubt, ..site })));
        }
        self.found.retain(|&(_, address, _)| !is_copied(address));
        self.found.append(&mut copied);
        Ok(())
    }

    /// Collects the facts of a relocatable file.
    fn relocatable(&mut self, wants: &Wants) -> Result<(), String> {
        let (endian, machine) = (self.endian, self.facts.machine);
        let mut not_compiled = false;
        let mut has_code = false;
        let sections: Vec<_> = self.sections.iter().enumerate().collect();
        for (index, section) in sections {
            let flags: u64 = section.sh_flags(endian).into();
            let name = self.sections.section_name(endian, section).unwrap_or_default();
            let name = String::from_utf8_lossy(name).into_owned();
            let executable = flags & u64::from(elf::SHF_EXECINSTR) != 0;
            let loaded = flags & u64::from(elf::SHF_ALLOC) != 0;
            if name == ".note.GNU-stack" {
                // If there are several such sections, lld heeds each one that requests the flag.
                let asked = executable || self.facts.asks == Asks::Yes;
                self.facts.asks = if asked { Asks::Yes } else { Asks::No };
            }
            self.has_table |= name == table::NOTE;
            not_compiled |= name.starts_with(".gnu.lto_") || name == ".llvm.lto";
            let has_bytes = section.sh_type(endian) != elf::SHT_NOBITS;
            has_code |= loaded && executable && has_bytes && section.sh_size(endian).into() > 0;
            if machine::is_module(&name) {
                self.facts.outside.get_or_insert(Outside::Firmware);
            }
            self.attributes(section);
            self.writable_section(flags, &name, 0);
            if wants.quick {
                continue;
            }
            if section.sh_type(endian) == elf::SHT_NOTE
                && name == ".note.gnu.property"
                && let Ok(Some(notes)) = section.notes(endian, self.data)
            {
                self.properties(notes);
            }
            if !loaded
                || !has_bytes
                || !patterns::may_be_in(machine, executable)
                || self.found.len() > MOST
                || self.facts.outside.is_some()
            {
                continue;
            }
            let (at, len) = (section.sh_offset(endian).into(), section.sh_size(endian).into());
            self.input.pieces(at, len, |piece| {
                for site in patterns::search(machine, piece.bytes, executable) {
                    if piece.own.contains(&site.offset) {
                        self.found.push((Some(index), piece.start + site.offset as u64, site));
                    }
                }
                self.found.len() <= MOST
            })?;
        }
        // An object that contains machine code as well as a form for link-time optimization is judged by its machine
        // code, which a linker without the plugin uses. The code may be in sections named after its functions.
        if not_compiled && !has_code {
            self.facts.unjudged = Some(Unjudged::NotCompiled);
        } else if self.facts.asks == Asks::SaysNothing && (!has_code || silence_is_no(machine)) {
            self.facts.asks = Asks::No;
        }
        Ok(())
    }

    fn writable_section(&mut self, flags: u64, name: &str, address: u64) {
        let all = u64::from(elf::SHF_ALLOC | elf::SHF_WRITE | elf::SHF_EXECINSTR);
        if flags & all == all && self.facts.writable_code.len() < MOST {
            self.facts.writable_code.push(WritableCode { address, section: Some(name.to_owned()) });
        }
    }

    /// Reads the build attributes of an Arm file.
    fn attributes(&mut self, section: &Elf::SectionHeader) {
        let is_wanted = self.facts.machine == Architecture::Arm
            && section.sh_type(self.endian) == elf::SHT_ARM_ATTRIBUTES
            && section.sh_size(self.endian).into() <= LONGEST_ATTRIBUTES;
        if is_wanted
            && let Ok(bytes) = section.data(self.endian, self.data)
            && machine::is_bare_arm(bytes)
        {
            self.facts.outside.get_or_insert(Outside::Firmware);
        }
    }

    /// Reads the dynamic section for text relocations. Returns whether all symbols are resolved at startup.
    fn dynamic(&mut self, header: &Elf::ProgramHeader) -> bool {
        let mut now = false;
        let entries = header.dynamic(self.endian, self.data).ok().flatten().unwrap_or_default();
        for entry in entries {
            let (tag, value): (u64, u64) = (entry.d_tag(self.endian).into(), entry.d_val(self.endian).into());
            let (Ok(tag), value) = (u32::try_from(tag), value as u32) else { continue };
            self.facts.text_relocations |=
                tag == elf::DT_TEXTREL || tag == elf::DT_FLAGS && value & elf::DF_TEXTREL != 0;
            self.facts.is_library |= tag == elf::DT_SONAME;
            now |= tag == elf::DT_BIND_NOW
                || tag == elf::DT_FLAGS && value & elf::DF_BIND_NOW != 0
                || tag == elf::DT_FLAGS_1 && value & elf::DF_1_NOW != 0;
        }
        now
    }

    /// Reads the processor features that all code of the file supports (GNU_PROPERTY_..._FEATURE_1_AND).
    fn properties(&mut self, mut notes: object::read::elf::NoteIterator<'c, Elf>) {
        while let Ok(Some(note)) = notes.next() {
            if note.name() != elf::ELF_NOTE_GNU || note.n_type(self.endian) != elf::NT_GNU_PROPERTY_TYPE_0 {
                continue;
            }
            let Some(mut properties) = note.gnu_properties(self.endian) else { continue };
            while let Ok(Some(property)) = properties.next() {
                if [0xc000_0000, 0xc000_0002].contains(&property.pr_type()) {
                    self.facts.protection.features = property.data_u32(self.endian).ok();
                }
            }
        }
    }

    /// Whether the code is compressed (UPX): the packer's own header directly follows the program headers.
    fn is_packed(&self) -> bool {
        let len = size_of_val(self.segments) as u64;
        let end = self.header.e_phoff(self.endian).into().saturating_add(len);
        // l_checksum, l_magic; some versions put the decompressor's header before them.
        let mut bytes = [0; 8];
        self.input.fill(end, &mut bytes).is_ok() && bytes.ends_with(b"UPX!")
    }

    /// Whether this is the debug information of a program (`objcopy --only-keep-debug`), which has the program's headers
    /// but no code.
    fn is_detached(&self) -> bool {
        let endian = self.endian;
        let is_code = |flags: u64| flags & u64::from(elf::SHF_EXECINSTR) != 0;
        let mut code = self.sections.iter().filter(|it| is_code(it.sh_flags(endian).into())).peekable();
        if code.peek().is_some() {
            return code.all(|it| it.sh_type(endian) == elf::SHT_NOBITS);
        }
        // Without section headers, the segments decide: they have no bytes in the file.
        let loaded = self.segments.iter().filter(|it| it.p_type(endian) == elf::PT_LOAD);
        let mut code = loaded.filter(|it| it.p_flags(endian) & elf::PF_X != 0).peekable();
        code.peek().is_some() && code.all(|it| it.p_filesz(endian).into() == 0)
    }

    /// Whether a table of names contains the name of a function that creates trampolines.
    fn mentions_trampolines(&self) -> Result<bool, String> {
        let endian = self.endian;
        let mut mentioned = false;
        for section in self.sections.iter() {
            if ![elf::SHT_SYMTAB, elf::SHT_DYNSYM].contains(&section.sh_type(endian)) {
                continue;
            }
            let strings = object::SectionIndex(section.sh_link(endian) as usize);
            let Ok(strings) = self.sections.section(strings) else { continue };
            let (at, len) = (strings.sh_offset(endian).into(), strings.sh_size(endian).into());
            // An invalid table names nothing.
            if self.input.part(at, len).is_none() {
                continue;
            }
            self.input.pieces(at, len, |piece| {
                let is_in = |part: &&[u8]| memchr::memmem::find(piece.bytes, part).is_some();
                mentioned |= names::PARTS.iter().any(is_in);
                !mentioned
            })?;
        }
        Ok(mentioned)
    }

    /// Collects the facts that need symbols and other tables.
    fn details(&mut self, file: &ElfFile<'c, Elf, Cached<'c, 'a>>) {
        self.facts.tables =
            if self.facts.linked { table::of_linked(file, self.data) } else { table::of_object(file) };
        if !self.facts.linked {
            self.find_relocated_copies(file);
        }
        self.found.truncate(MOST);
        self.found.sort_by_key(|&(section, address, _)| (section, address));
        self.found.dedup_by_key(|&mut (section, address, _)| (section, address));
        let names = Names::of(file, !self.found.is_empty());
        self.facts.compilers = compilers(file);
        self.facts.source = names.file.as_deref().filter(|_| !self.facts.linked).map(str::to_owned);
        let ours = !self.facts.tables.is_empty() || names.needs_this_library;
        self.facts.calls.extend(&names.calls);
        if names.provides {
            self.facts.calls.clear(); // the file itself is the library that provides the called functions
        } else if ours {
            // The calls go to this library.
            self.facts.calls.retain(|call| *call == Call::TrampolineSetup);
        }
        // libgcc's own function writes trampolines in memory that it has allocated.
        let is_heap = |name: &str| name == "__gcc_nested_func_ptr_created";
        self.found.retain(|&(section, address, _)| {
            !names.at(section, address).0.is_some_and(|name| is_heap(&name))
        });
        if self.facts.linked && self.facts.calls.contains(&Call::FlangPool) {
            // The code that writes is that of the pool itself, in the pool's own memory.
            self.found.retain(|&(section, address, _)| {
                !names.at(section, address).0.is_some_and(|name| is_pool(&name))
            });
        }
        self.facts.calls.sort();
        self.facts.calls.dedup();
        let wanted: Vec<debug::Address> = self.found.iter().map(|&(section, at, _)| (section, at)).collect();
        // Debug information is read only if it can add details.
        let silent = self.facts.asks != Asks::No && self.facts.unjudged.is_none();
        let told = (!wanted.is_empty() || silent).then(|| Debug::of(file, &wanted)).flatten();
        let told = told.unwrap_or_default();
        self.facts.assembly = told.assembly;
        let mut places = told.places.into_iter();
        let found = std::mem::take(&mut self.found);
        self.facts.writes = found
            .into_iter()
            .map(|(section, address, site)| {
                let place = places.next().unwrap_or_default();
                let (function, file) = names.at(section, address);
                Written {
                    address,
                    function: function.or(place.function),
                    source: place.source.or(file),
                    producer: place.producer,
                    maker: site.maker,
                    doubt: site.doubt,
                }
            })
            .collect();
    }

    /// Replaces each template in an object by the code whose relocations refer to it. An implicit addend is not read:
    /// then each reference to the template's section counts.
    fn find_relocated_copies(&mut self, file: &ElfFile<'c, Elf, Cached<'c, 'a>>) {
        let is_template = |site: &Site| site.doubt == Some(patterns::Doubt::Template);
        let templates: Vec<Found> =
            self.found.iter().copied().filter(|(.., site)| is_template(site)).take(MOST_TEMPLATES).collect();
        if templates.is_empty() {
            return;
        }
        let mut copies: Vec<(Found, Found)> = Vec::new();
        for section in file.sections().filter(|it| it.kind() == object::SectionKind::Text) {
            for (offset, relocation) in section.relocations() {
                let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
                let Ok(symbol) = file.symbol_by_index(symbol) else { continue };
                let Some(target) = symbol.section_index().map(|it| it.0) else { continue };
                let to = symbol.address().wrapping_add(relocation.addend() as u64);
                let reaches = |&&(its, address, _): &&Found| {
                    its == Some(target)
                        && (relocation.has_implicit_addend()
                            || address.checked_sub(to).is_some_and(|pad| pad <= patterns::PAD))
                };
                if let Some(&template) = templates.iter().find(reaches).filter(|_| copies.len() < MOST) {
                    let site = Site { doubt: None, ..template.2 };
                    copies.push((template, (Some(section.index().0), offset, site)));
                }
            }
        }
        // The two halves of an address are two relocations of the same code.
        copies.sort_by_key(|&(_, (section, offset, _))| (section, offset));
        copies.dedup_by(|next, last| next.1.0 == last.1.0 && next.1.1 - last.1.1 <= 16);
        let key = |it: &Found| (it.0, it.1);
        self.found.retain(|found| !copies.iter().any(|(template, _)| key(template) == key(found)));
        self.found.extend(copies.into_iter().map(|(_, copy)| copy));
    }
}

/// Maximum number of templates in an object.
const MOST_TEMPLATES: usize = 16;

/// Whether a function belongs to flang's run-time library.
fn is_pool(name: &str) -> bool {
    name.contains("Fortran") && name.contains("rampoline")
}

/// Whether linkers treat an object without `.note.GNU-stack` as not needing an executable stack (GNU ld 2.40: on x86
/// and Arm they do not).
fn silence_is_no(machine: Architecture) -> bool {
    use Architecture::{Aarch64, Aarch64_Ilp32, Riscv32, Riscv64};
    matches!(machine, Aarch64 | Aarch64_Ilp32 | Riscv32 | Riscv64)
}

/// The texts in `.comment`, each once.
fn compilers<'data, Elf, R>(file: &ElfFile<'data, Elf, R>) -> Vec<String>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let comment = file.section_by_name(".comment").filter(|section| section.size() <= LONGEST_COMMENT);
    let comment = comment.and_then(|section| section.data().ok()).unwrap_or_default();
    let mut texts: Vec<String> = Vec::new();
    for text in comment.split(|&byte| byte == 0).filter(|text| !text.is_empty()).take(MOST_COMPILERS) {
        let text = String::from_utf8_lossy(text).into_owned();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}
