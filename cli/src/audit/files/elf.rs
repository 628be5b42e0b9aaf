//! ELF files: the stack flag, and code that writes trampolines.

use super::facts::{Asks, Call, Facts, Format, Relro, Unjudged, WritableCode, Written};
use super::names::Names;
use crate::audit::code::debug::{self, Debug};
use crate::audit::code::patterns::{self, Maker};
use crate::audit::input::Part;
use crate::audit::table;
use object::elf;
use object::read::ReadRef;
use object::read::elf::{Dyn, ElfFile, FileHeader, ProgramHeader, SectionHeader};
use object::{Architecture, Endianness, Object, ObjectKind, ObjectSection, SectionFlags};

/// Limit for one kind of finding in a file; a compiler generates fewer.
const MOST: usize = 10_000;
/// Maximum length of `.comment` in bytes.
const LONGEST_COMMENT: u64 = 1 << 20;
const MOST_COMPILERS: usize = 64;

const DUMP: &str = "a core dump, not a program";
pub const DETACHED: &str = "debug information only, without code";

/// A place where code writes a trampoline: section (of a relocatable file), address, probable compiler.
type Found = (Option<usize>, u64, Maker);

/// The facts of an ELF file of either class; or a description of a file without code.
pub fn facts<'data, R: ReadRef<'data>>(data: Part<'_, R>) -> Result<Result<Facts, &'static str>, String> {
    let class = data.read_bytes_at(4, 1).map_err(|()| "it ends in its header")?;
    let facts = match class {
        [2] => of::<elf::FileHeader64<Endianness>, R>(data),
        _ => of::<elf::FileHeader32<Endianness>, R>(data),
    };
    if data.is_spent() {
        return Err(data.why_unreadable());
    }
    facts.map_err(|why| format!("a broken ELF file: {why}"))
}

struct File<'f, 'data, 'l, Elf: FileHeader<Endian = Endianness>, R: ReadRef<'data>> {
    file: &'f ElfFile<'data, Elf, Part<'l, R>>,
    data: Part<'l, R>,
    endian: Endianness,
    facts: Facts,
    found: Vec<Found>,
}

fn of<'data, Elf, R>(data: Part<'_, R>) -> Result<Result<Facts, &'static str>, String>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let file = ElfFile::<Elf, Part<'_, R>>::parse(data).map_err(|error| error.to_string())?;
    File::facts(&file, data)
}

impl<'f, 'data, 'l, Elf: FileHeader<Endian = Endianness>, R: ReadRef<'data>> File<'f, 'data, 'l, Elf, R> {
    fn facts(
        file: &'f ElfFile<'data, Elf, Part<'l, R>>,
        data: Part<'l, R>,
    ) -> Result<Result<Facts, &'static str>, String> {
        let linked = file.kind() != ObjectKind::Relocatable;
        match file.kind() {
            ObjectKind::Core => return Ok(Err(DUMP)),
            _ if linked && is_detached(file) => return Ok(Err(DETACHED)),
            _ => {}
        }
        let facts = Facts::new(Format::Elf, linked, file.architecture());
        let mut all = File { endian: file.endian(), data, facts, found: Vec::new(), file };
        if linked {
            all.segments()?
        } else {
            all.sections()?
        }
        all.found.truncate(MOST);
        all.calls_and_names();
        Ok(Ok(all.facts))
    }

    /// Collects the facts of a linked file from its loaded segments.
    fn segments(&mut self) -> Result<(), String> {
        let (endian, machine) = (self.endian, self.facts.machine);
        let (file, mut relro, mut now) = (self.file, false, false);
        for header in file.elf_program_headers() {
            let flags = header.p_flags(endian);
            match header.p_type(endian) {
                elf::PT_GNU_STACK => {
                    self.facts.asks = if flags & elf::PF_X != 0 { Asks::Yes } else { Asks::No };
                }
                elf::PT_GNU_RELRO => relro = true,
                elf::PT_LOAD => {
                    let start: u64 = header.p_vaddr(endian).into();
                    if flags & (elf::PF_X | elf::PF_W) == elf::PF_X | elf::PF_W
                        && self.facts.writable_code.len() < MOST
                    {
                        self.facts.writable_code.push(WritableCode { address: start, section: None });
                    }
                    let executable = flags & elf::PF_X != 0;
                    let templates = !executable && machine == Architecture::X86_64;
                    if !patterns::may_be_in(machine, executable) && !templates || self.found.len() > MOST {
                        continue;
                    }
                    let bytes = header.data(endian, self.data).map_err(|()| self.data.why_unreadable())?;
                    self.look_at(None, start, bytes, executable);
                    // A stripped program that contains libgcc has no other sign of heap trampolines.
                    if templates && patterns::gcc_heap_template(bytes) {
                        self.facts.calls.push(Call::GccHeap);
                    }
                }
                elf::PT_DYNAMIC => now |= self.dynamic(header),
                elf::PT_NOTE => {
                    let Ok(Some(notes)) = header.notes(endian, self.data) else { continue };
                    self.properties(notes);
                }
                _ => {}
            }
        }
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
            self.writable_section(sh_flags, section.name().unwrap_or_default(), section.address());
        }
        self.facts.protection.relro = match (relro, now) {
            (false, _) => Relro::None,
            (true, false) => Relro::Partial,
            (true, true) => Relro::Full,
        };
        if self.is_packed() {
            self.facts.unjudged = Some(Unjudged::Packed);
        }
        self.facts.tables = table::of_linked(file, self.data);
        Ok(())
    }

    /// Collects the facts of a relocatable file.
    fn sections(&mut self) -> Result<(), String> {
        let (file, endian, machine) = (self.file, self.endian, self.facts.machine);
        let mut not_compiled = false;
        let mut has_code = false;
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
            let name = section.name().unwrap_or_default();
            let executable = sh_flags & u64::from(elf::SHF_EXECINSTR) != 0;
            if name == ".note.GNU-stack" {
                // If there are several such sections, lld heeds each one that requests the flag.
                let asked = executable || self.facts.asks == Asks::Yes;
                self.facts.asks = if asked { Asks::Yes } else { Asks::No };
            }
            not_compiled |= name.starts_with(".gnu.lto_") || name == ".llvm.lto";
            has_code |= section.kind() == object::SectionKind::Text && section.size() > 0;
            self.writable_section(sh_flags, name, section.address());
            let header = section.elf_section_header();
            if header.sh_type(endian) == elf::SHT_NOTE
                && name == ".note.gnu.property"
                && let Ok(Some(notes)) = header.notes(endian, self.data)
            {
                self.properties(notes);
            }
            if sh_flags & u64::from(elf::SHF_ALLOC) == 0
                || header.sh_type(endian) == elf::SHT_NOBITS
                || !patterns::may_be_in(machine, executable)
                || self.found.len() > MOST
            {
                continue;
            }
            let bytes = section.data().map_err(|_| self.data.why_unreadable())?;
            self.look_at(Some(section.index().0), 0, bytes, executable);
        }
        // An object that contains machine code as well as a form for link-time optimization is judged by its machine
        // code, which a linker without the plugin uses. The code may be in sections named after its functions.
        if not_compiled && !has_code {
            self.facts.unjudged = Some(Unjudged::NotCompiled);
        } else if self.facts.asks == Asks::SaysNothing && (!has_code || silence_is_no(machine)) {
            self.facts.asks = Asks::No;
        }
        self.facts.tables = table::of_object(file);
        Ok(())
    }

    fn look_at(&mut self, section: Option<usize>, start: u64, bytes: &[u8], executable: bool) {
        let sites = patterns::search(self.facts.machine, bytes, executable);
        let place = |site: patterns::Site| (section, start.wrapping_add(site.offset as u64), site.maker);
        self.found.extend(sites.into_iter().take(MOST).map(place));
    }

    fn writable_section(&mut self, flags: u64, name: &str, address: u64) {
        let all = u64::from(elf::SHF_ALLOC | elf::SHF_WRITE | elf::SHF_EXECINSTR);
        if flags & all == all && self.facts.writable_code.len() < MOST {
            self.facts.writable_code.push(WritableCode { address, section: Some(name.to_owned()) });
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
            now |= tag == elf::DT_BIND_NOW
                || tag == elf::DT_FLAGS && value & elf::DF_BIND_NOW != 0
                || tag == elf::DT_FLAGS_1 && value & elf::DF_1_NOW != 0;
        }
        now
    }

    /// Reads the processor features that all code of the file supports (GNU_PROPERTY_..._FEATURE_1_AND).
    fn properties(&mut self, mut notes: object::read::elf::NoteIterator<'data, Elf>) {
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
        let headers = self.file.elf_program_headers();
        let end =
            self.file.elf_header().e_phoff(self.endian).into().saturating_add(size_of_val(headers) as u64);
        // l_checksum, l_magic; some versions put the decompressor's header before them.
        self.data.read_bytes_at(end, 8).is_ok_and(|bytes| bytes.ends_with(b"UPX!"))
    }

    fn calls_and_names(&mut self) {
        let names = Names::of(self.file, !self.found.is_empty());
        self.facts.compilers = compilers(self.file);
        let ours = !self.facts.tables.is_empty() || names.needs_this_library;
        self.facts.calls.extend(&names.calls);
        if ours || names.provides {
            // In that case the calls go to this library, or the file itself is the library that provides the called
            // functions.
            self.facts.calls.retain(|call| *call == Call::TrampolineSetup);
        }
        if self.facts.linked && self.facts.calls.contains(&Call::FlangPool) {
            // The code that writes is that of the pool itself, in the pool's own memory.
            self.found.retain(|&(section, address, _)| {
                !names.at(section, address).0.is_some_and(|name| is_pool(&name))
            });
        }
        self.facts.calls.sort();
        self.facts.calls.dedup();
        if !patterns::known(self.facts.machine) {
            self.facts.unjudged.get_or_insert(Unjudged::Machine);
        }
        let wanted: Vec<debug::Address> = self.found.iter().map(|&(section, at, _)| (section, at)).collect();
        // Debug information is read only if it can add details.
        let silent = self.facts.asks != Asks::No && self.facts.unjudged.is_none();
        let told = (!wanted.is_empty() || silent).then(|| Debug::of(self.file, &wanted)).flatten();
        let told = told.unwrap_or_default();
        self.facts.assembly = told.assembly;
        let mut places = told.places.into_iter();
        let found = std::mem::take(&mut self.found);
        self.facts.writes = found
            .into_iter()
            .map(|(section, address, maker)| {
                let place = places.next().unwrap_or_default();
                let (function, file) = names.at(section, address);
                Written {
                    address,
                    function: function.or(place.function),
                    source: place.source.or(file),
                    producer: place.producer,
                    maker,
                }
            })
            .collect();
    }
}

/// Whether a function belongs to flang's run-time library.
fn is_pool(name: &str) -> bool {
    name.contains("Fortran") && name.contains("rampoline")
}

/// Whether this is the debug information of a program (`objcopy --only-keep-debug`), which has the program's headers
/// but no code.
fn is_detached<'data, Elf, R>(file: &ElfFile<'data, Elf, R>) -> bool
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let endian = file.endian();
    let is_code = |flags| flags & u64::from(elf::SHF_EXECINSTR) != 0;
    let headers = file.sections().map(|section| section.elf_section_header());
    let mut code = headers.filter(|header| is_code(header.sh_flags(endian).into())).peekable();
    code.peek().is_some() && code.all(|header| header.sh_type(endian) == elf::SHT_NOBITS)
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
