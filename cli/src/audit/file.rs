//! One file: what it asks for, and what its code does.

use super::patterns::{self, Maker};
use object::elf;
use object::read::elf::{ElfFile, FileHeader, ProgramHeader, SectionHeader};
use object::read::{ReadCache, ReadRef};
use object::{
    Architecture, Endianness, Object, ObjectKind, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind,
};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What a path turned out to be.
pub enum Outcome {
    /// One file, or the members of an archive.
    Files(Vec<Audited>),
    /// Nothing in which a trampoline could be.
    NotCode,
    /// Why not.
    Unreadable(String),
}

/// A file, or a member of an archive.
pub struct Audited {
    pub path: PathBuf,
    pub member: Option<String>,
    pub facts: Facts,
}

/// Whether a file asks for an executable stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    Yes,
    No,
    /// It has no PT_GNU_STACK, or no `.note.GNU-stack`: linker, kernel and C library decide.
    SaysNothing,
}

/// What can be seen in a file.
#[derive(Debug)]
pub struct Facts {
    pub linked: bool,
    pub machine: Architecture,
    pub asks: Asks,
    /// Where code writes trampolines.
    pub writes: Vec<Written>,
    /// Compilers, as `.comment` names them.
    pub compilers: Vec<String>,
    /// Interfaces that are called by name: the heap's trampolines and other makers.
    pub calls: Vec<&'static str>,
    /// There is no machine code to look at: bitcode, or a compiler's own format for link-time optimization.
    pub not_compiled: bool,
    /// Loaded writable and executable, by address.
    pub writable_code: Vec<u64>,
    /// Code is written to when it is loaded.
    pub text_relocations: bool,
}

/// Where a trampoline is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    pub address: u64,
    pub function: Option<String>,
    pub source: Option<String>,
    pub maker: Maker,
}

/// Calls by which compiled code has trampolines made, and whose memory is executable.
const MAKERS: [&str; 4] = [
    "__gcc_nested_func_ptr_created",
    "_FortranATrampolineInit",
    "_FortranAInitTrampoline",
    "__trampoline_setup",
];

/// More of one kind in one file is not a compiler's work, and would only take memory.
const MOST: usize = 100_000;

pub fn audit(path: &Path) -> Outcome {
    // Without O_NONBLOCK a FIFO in the file's place would be waited for.
    let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC).open(path);
    let (mut file, len) = match opened.and_then(|file| file.metadata().map(|metadata| (file, metadata))) {
        Err(error) => return Outcome::Unreadable(error.to_string()),
        Ok((_, metadata)) if !metadata.is_file() => return Outcome::NotCode,
        Ok((file, metadata)) => (file, metadata.len()),
    };
    let mut magic = [0; 8];
    let wanted = magic.len().min(len as usize);
    if let Err(error) = file.read_exact(&mut magic[..wanted]) {
        return Outcome::Unreadable(error.to_string());
    }
    let one = |facts| Outcome::Files(vec![Audited { path: path.to_owned(), member: None, facts }]);
    match &magic {
        b"!<arch>\n" => archive(path, file),
        b"!<thin>\n" => Outcome::Unreadable("a thin archive: its members are files of their own".into()),
        [0x7f, b'E', b'L', b'F', ..] => match elf(&ReadCache::new(file)) {
            Ok(facts) => one(facts),
            Err(why) => Outcome::Unreadable(why),
        },
        [b'B', b'C', 0xc0, 0xde, ..] => one(Facts::bitcode()),
        _ => Outcome::NotCode,
    }
}

fn archive(path: &Path, file: File) -> Outcome {
    let cache = ReadCache::new(file);
    let archive = match object::read::archive::ArchiveFile::parse(&cache) {
        Ok(archive) => archive,
        Err(error) => return Outcome::Unreadable(format!("not a whole archive: {error}")),
    };
    let mut files = Vec::new();
    for member in archive.members() {
        let member = match member {
            Ok(member) => member,
            Err(error) => return Outcome::Unreadable(format!("not a whole archive: {error}")),
        };
        let (start, len) = member.file_range();
        let Ok(magic) = cache.read_bytes_at(start, len.min(4)) else {
            return Outcome::Unreadable("not a whole archive: a member ends behind the file".into());
        };
        let facts = match magic {
            b"\x7fELF" => match elf(cache.range(start, len)) {
                Ok(facts) => facts,
                Err(why) => {
                    return Outcome::Unreadable(format!("{}: {why}", String::from_utf8_lossy(member.name())));
                }
            },
            b"BC\xc0\xde" => Facts::bitcode(),
            _ => continue,
        };
        let member = Some(String::from_utf8_lossy(member.name()).into_owned());
        files.push(Audited { path: path.to_owned(), member, facts });
    }
    if files.is_empty() { Outcome::NotCode } else { Outcome::Files(files) }
}

/// An ELF file of either width.
fn elf<'data, R: ReadRef<'data>>(data: R) -> Result<Facts, String> {
    let class = data.read_bytes_at(4, 1).map_err(|()| "it ends in its header")?;
    let facts = match class {
        [2] => facts::<elf::FileHeader64<Endianness>, R>(data),
        _ => facts::<elf::FileHeader32<Endianness>, R>(data),
    };
    facts.map_err(|error| format!("a broken ELF file: {error}"))
}

fn facts<'data, Elf, R>(data: R) -> object::Result<Facts>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let file = ElfFile::<Elf, R>::parse(data)?;
    let endian = file.endian();
    let machine = file.architecture();
    let mut facts = Facts {
        linked: file.kind() != ObjectKind::Relocatable,
        machine,
        asks: Asks::SaysNothing,
        writes: Vec::new(),
        compilers: compilers(&file),
        calls: Vec::new(),
        not_compiled: false,
        writable_code: Vec::new(),
        text_relocations: false,
    };
    let mut found = Vec::new();
    // A broken file may say that every segment is all of it.
    let mut budget = data.len().unwrap_or_default().saturating_mul(2);
    let mut search = |bytes: &[u8], executable| {
        let within = budget.checked_sub(bytes.len() as u64);
        budget = within.unwrap_or_default();
        within.map_or(Vec::new(), |_| patterns::search(machine, bytes, executable))
    };
    if facts.linked {
        for header in file.elf_program_headers() {
            let flags = header.p_flags(endian);
            match header.p_type(endian) {
                elf::PT_GNU_STACK => facts.asks = if flags & elf::PF_X != 0 { Asks::Yes } else { Asks::No },
                elf::PT_LOAD => {
                    let start: u64 = header.p_vaddr(endian).into();
                    if flags & (elf::PF_X | elf::PF_W) == elf::PF_X | elf::PF_W {
                        facts.writable_code.push(start);
                    }
                    if let Ok(bytes) = header.data(endian, data) {
                        let sites = search(bytes, flags & elf::PF_X != 0);
                        found.extend(
                            sites.into_iter().map(|site| (None, start + site.offset as u64, site.maker)),
                        );
                    }
                }
                elf::PT_DYNAMIC => facts.text_relocations = relocates_code(header, endian, data),
                _ => {}
            }
        }
    } else {
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
            let name = section.name().unwrap_or_default();
            if name == ".note.GNU-stack" {
                let executable = sh_flags & u64::from(elf::SHF_EXECINSTR) != 0;
                facts.asks = if executable { Asks::Yes } else { Asks::No };
            }
            facts.not_compiled |= name.starts_with(".gnu.lto_") || name == ".llvm.lto";
            if sh_flags & u64::from(elf::SHF_ALLOC) == 0
                || section.elf_section_header().sh_type(endian) == elf::SHT_NOBITS
            {
                continue;
            }
            let executable = sh_flags & u64::from(elf::SHF_EXECINSTR) != 0;
            if let Ok(bytes) = section.data() {
                let sites = search(bytes, executable);
                found.extend(
                    sites.into_iter().map(|site| (Some(section.index().0), site.offset as u64, site.maker)),
                );
            }
        }
        // Objects that have both are judged by their code, which is what a linker without the plugin takes.
        facts.not_compiled &=
            !file.sections().any(|section| section.name() == Ok(".text") && section.size() > 0);
        let has_code =
            file.sections().any(|section| section.kind() == object::SectionKind::Text && section.size() > 0);
        if facts.asks == Asks::SaysNothing
            && !facts.not_compiled
            && (!has_code || silence_is_no(facts.machine))
        {
            facts.asks = Asks::No;
        }
    }
    found.truncate(MOST);
    let names = Names::of(&file, !found.is_empty());
    facts.calls =
        MAKERS.into_iter().filter(|maker| names.undefined.iter().any(|name| name == maker)).collect();
    facts.writes = found
        .into_iter()
        .map(|(section, address, maker)| {
            let (function, source) = names.at(section, address);
            Written { address, function, source, maker }
        })
        .collect();
    Ok(facts)
}

/// Whether linkers take an object without `.note.GNU-stack` for one that needs no executable stack (GNU ld 2.40: on x86
/// and Arm they do not).
fn silence_is_no(machine: Architecture) -> bool {
    matches!(machine, Architecture::Aarch64 | Architecture::Riscv64)
}

/// Whether the dynamic section says that code is relocated (DT_TEXTREL, or the flag that took its place).
fn relocates_code<'data, P, R>(header: &P, endian: Endianness, data: R) -> bool
where
    P: ProgramHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    use object::read::elf::Dyn;
    let entries = header.dynamic(endian, data).ok().flatten().unwrap_or_default();
    entries.iter().any(|entry| {
        let (tag, value): (u64, u64) = (entry.d_tag(endian).into(), entry.d_val(endian).into());
        tag == u64::from(elf::DT_TEXTREL)
            || tag == u64::from(elf::DT_FLAGS) && value & u64::from(elf::DF_TEXTREL) != 0
    })
}

/// The texts of `.comment`, each once.
fn compilers<'data, Elf, R>(file: &ElfFile<'data, Elf, R>) -> Vec<String>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let comment =
        file.section_by_name(".comment").and_then(|section| section.data().ok()).unwrap_or_default();
    let mut texts: Vec<String> = Vec::new();
    for text in comment.split(|&byte| byte == 0).filter(|text| !text.is_empty()).take(64) {
        let text = String::from_utf8_lossy(text).into_owned();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// The names of functions, where a file has them.
struct Names {
    /// Section (of a relocatable file), address, name, source file; in order.
    functions: Vec<(Option<usize>, u64, String, Option<String>)>,
    undefined: Vec<String>,
}

impl Names {
    fn of<'data, Elf, R>(file: &ElfFile<'data, Elf, R>, wanted: bool) -> Self
    where
        Elf: FileHeader<Endian = Endianness>,
        R: ReadRef<'data>,
    {
        let relocatable = file.kind() == ObjectKind::Relocatable;
        let mut names = Names { functions: Vec::new(), undefined: Vec::new() };
        let mut source = None;
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            let Ok(name) = symbol.name() else { continue };
            match symbol.kind() {
                _ if symbol.is_undefined() && MAKERS.contains(&name) => names.undefined.push(name.to_owned()),
                _ if symbol.is_undefined() => {}
                SymbolKind::File => source = Some(name.to_owned()),
                SymbolKind::Text if wanted => {
                    // Global symbols come after the last source file's own: whose they are is not said.
                    let source = source.clone().filter(|_| relocatable || symbol.is_local());
                    let section = symbol.section_index().filter(|_| relocatable).map(|index| index.0);
                    names.functions.push((section, symbol.address(), name.to_owned(), source));
                }
                _ => {}
            }
        }
        names.functions.sort();
        names
    }

    /// The function that an address is in, and its source file.
    fn at(&self, section: Option<usize>, address: u64) -> (Option<String>, Option<String>) {
        let behind =
            self.functions.partition_point(|function| (function.0, function.1) <= (section, address));
        match behind.checked_sub(1).map(|last| &self.functions[last]) {
            Some((its, _, name, source)) if *its == section => (Some(name.clone()), source.clone()),
            _ => (None, None),
        }
    }
}

impl Facts {
    fn bitcode() -> Self {
        Facts {
            linked: false,
            machine: Architecture::Unknown,
            asks: Asks::SaysNothing,
            writes: Vec::new(),
            compilers: Vec::new(),
            calls: Vec::new(),
            not_compiled: true,
            writable_code: Vec::new(),
            text_relocations: false,
        }
    }
}
