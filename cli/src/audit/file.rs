//! One file: what it asks for, and what its code does.

use super::patterns::{self, Maker};
use crate::shown::shown;
use object::elf;
use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile, FileHeader, ProgramHeader, SectionHeader};
use object::read::{ReadCache, ReadRef};
use object::{
    Architecture, Endianness, Object, ObjectKind, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind,
};
use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What a path turned out to be.
pub enum Outcome {
    /// One file, or the members of an archive.
    Files(Vec<Audited>),
    /// Nothing in which a trampoline could be: what it is instead.
    NotCode(&'static str),
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
    pub function: Option<Rc<str>>,
    pub source: Option<Rc<str>>,
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

/// As deep are archives in archives looked at.
const DEEPEST: usize = 8;

/// Where the search for code leads nowhere.
const NO_CODE: &str = "not an ELF file, an archive of such files, or LLVM bitcode";
const DUMP: &str = "a dump of memory, no program";
const DETACHED: &str = "debugging information only, without the code";

pub fn audit(path: &Path) -> Outcome {
    // Without O_NONBLOCK a FIFO in the file's place would be waited for.
    let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC).open(path);
    let (mut file, len) = match opened.and_then(|file| file.metadata().map(|metadata| (file, metadata))) {
        Err(error) => return Outcome::Unreadable(error.to_string()),
        Ok((_, metadata)) if !metadata.is_file() => return Outcome::NotCode(NO_CODE),
        Ok((file, metadata)) => (file, metadata.len()),
    };
    let mut magic = [0; 8];
    let wanted = magic.len().min(len as usize);
    if let Err(error) = file.read_exact(&mut magic[..wanted]) {
        return Outcome::Unreadable(error.to_string());
    }
    let (cache, left) = (ReadCache::new(file), Cell::new(may_be_read(len)));
    let data = Part { data: &cache, start: 0, len, left: &left };
    let mut files = Vec::new();
    let done = one(path, None, &magic, data, 0, &mut files);
    match done {
        Err(why) => Outcome::Unreadable(why),
        Ok(what) if files.is_empty() => Outcome::NotCode(what),
        Ok(_) => Outcome::Files(files),
    }
}

/// A file or a member of an archive, by how it begins; it, or what is in it, is added to `files`. If nothing is, the result
/// says why.
fn one<'data, R: ReadRef<'data>>(
    path: &Path,
    member: Option<String>,
    magic: &[u8],
    data: Part<'_, R>,
    depth: usize,
    files: &mut Vec<Audited>,
) -> Result<&'static str, String> {
    let facts = match magic {
        b"!<arch>\n" if depth < DEEPEST => return archive(path, member, data, depth, files),
        b"!<arch>\n" => return Err("archives lie too deep in one another".into()),
        b"!<thin>\n" => return Err("a thin archive: its members are files of their own".into()),
        [0x7f, b'E', b'L', b'F', ..] => match elf(data)? {
            Ok(facts) => facts,
            Err(what) => return Ok(what),
        },
        [b'B', b'C', 0xc0, 0xde, ..] => Facts::bitcode(),
        _ => return Ok(NO_CODE),
    };
    files.push(Audited { path: path.to_owned(), member, facts });
    Ok(NO_CODE)
}

fn archive<'data, R: ReadRef<'data>>(
    path: &Path,
    within: Option<String>,
    data: Part<'_, R>,
    depth: usize,
    files: &mut Vec<Audited>,
) -> Result<&'static str, String> {
    let archive = ArchiveFile::parse(data).map_err(|error| format!("not a whole archive: {error}"))?;
    for member in archive.members() {
        let member = member.map_err(|error| format!("not a whole archive: {error}"))?;
        let (start, len) = member.file_range();
        let member = String::from_utf8_lossy(member.name()).into_owned();
        let in_place = |why: String| format!("{}: {why}", shown(member.as_bytes()));
        let part = data.part(start, len).ok_or("not a whole archive: a member ends behind the file")?;
        let magic = part.read_bytes_at(0, len.min(8)).map_err(|()| in_place(part.why_unreadable()))?;
        let name = match &within {
            Some(outer) => format!("{outer}({member})"),
            None => member.clone(),
        };
        one(path, Some(name), magic, part, depth + 1, files).map_err(in_place)?;
    }
    Ok(NO_CODE)
}

/// A part of a file. No more of it is read than its length warrants: a few bytes can say that there are many pieces, each of
/// them all of the file, and a file with holes can be of any length.
#[derive(Clone, Copy)]
struct Part<'l, R> {
    data: R,
    start: u64,
    len: u64,
    /// How much may still be read of the whole file; 0 if that was not enough.
    left: &'l Cell<u64>,
}

/// How much may be read of a file of some length. Tables of names are read several times.
fn may_be_read(len: u64) -> u64 {
    (len.saturating_mul(8) + (1 << 20)).min(1 << 31)
}

impl<'data, R: ReadRef<'data>> Part<'_, R> {
    /// A part of the part.
    fn part(self, start: u64, len: u64) -> Option<Self> {
        let end = start.checked_add(len)?;
        (end <= self.len).then_some(Part { start: self.start + start, len, ..self })
    }

    fn spend(self, bytes: u64) -> Result<(), ()> {
        let left = self.left.get().saturating_sub(bytes);
        self.left.set(left);
        if left > 0 { Ok(()) } else { Err(()) }
    }

    fn why_unreadable(self) -> String {
        match self.left.get() {
            0 => "it says that there is more in it than there can be, or is too large".into(),
            _ => "a part of it lies behind its end, or cannot be read".into(),
        }
    }
}

impl<'data, R: ReadRef<'data>> ReadRef<'data> for Part<'_, R> {
    fn len(self) -> Result<u64, ()> {
        Ok(self.len)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'data [u8], ()> {
        let part = self.part(offset, size).ok_or(())?;
        self.spend(size)?;
        self.data.read_bytes_at(part.start, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'data [u8], ()> {
        let len = range.end.checked_sub(range.start).ok_or(())?;
        let part = self.part(range.start, len).ok_or(())?;
        self.spend(1)?;
        let bytes = self.data.read_bytes_at_until(part.start..part.start + len, delimiter)?;
        self.spend(bytes.len() as u64)?;
        Ok(bytes)
    }
}

/// An ELF file of either width; or what it is that has no code.
fn elf<'data, R: ReadRef<'data>>(data: Part<'_, R>) -> Result<Result<Facts, &'static str>, String> {
    let class = data.read_bytes_at(4, 1).map_err(|()| "it ends in its header")?;
    let facts = match class {
        [2] => facts::<elf::FileHeader64<Endianness>, R>(data),
        _ => facts::<elf::FileHeader32<Endianness>, R>(data),
    };
    if data.left.get() == 0 {
        return Err(data.why_unreadable());
    }
    facts.map_err(|why| format!("a broken ELF file: {why}"))
}

fn facts<'data, Elf, R>(data: Part<'_, R>) -> Result<Result<Facts, &'static str>, String>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let file = ElfFile::<Elf, Part<'_, R>>::parse(data).map_err(|error| error.to_string())?;
    if file.kind() == ObjectKind::Core {
        return Ok(Err(DUMP));
    }
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
    if facts.linked {
        if is_detached(&file) {
            return Ok(Err(DETACHED));
        }
        for header in file.elf_program_headers() {
            let flags = header.p_flags(endian);
            match header.p_type(endian) {
                elf::PT_GNU_STACK => facts.asks = if flags & elf::PF_X != 0 { Asks::Yes } else { Asks::No },
                elf::PT_LOAD => {
                    let start: u64 = header.p_vaddr(endian).into();
                    if flags & (elf::PF_X | elf::PF_W) == elf::PF_X | elf::PF_W {
                        facts.writable_code.push(start);
                    }
                    let executable = flags & elf::PF_X != 0;
                    if !patterns::may_be_in(machine, executable) {
                        continue;
                    }
                    let bytes = header.data(endian, data).map_err(|()| data.why_unreadable())?;
                    let sites = patterns::search(machine, bytes, executable);
                    found.extend(
                        sites
                            .into_iter()
                            .map(|site| (None, start.wrapping_add(site.offset as u64), site.maker)),
                    );
                }
                elf::PT_DYNAMIC => facts.text_relocations |= relocates_code(header, endian, data),
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
            if !patterns::may_be_in(machine, executable) {
                continue;
            }
            let bytes = section.data().map_err(|_| data.why_unreadable())?;
            let sites = patterns::search(machine, bytes, executable);
            found.extend(
                sites.into_iter().map(|site| (Some(section.index().0), site.offset as u64, site.maker)),
            );
        }
        let has_code =
            file.sections().any(|section| section.kind() == object::SectionKind::Text && section.size() > 0);
        // Objects that have both are judged by their code, which is what a linker without the plugin takes. It may lie in
        // sections of its functions' names.
        facts.not_compiled &= !has_code;
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
    Ok(Ok(facts))
}

/// Whether this is what was taken away from a program (`objcopy --only-keep-debug`): it has its headers, and no code.
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

/// Whether linkers take an object without `.note.GNU-stack` for one that needs no executable stack (GNU ld 2.40: on x86
/// and Arm they do not).
fn silence_is_no(machine: Architecture) -> bool {
    use Architecture::{Aarch64, Aarch64_Ilp32, Riscv32, Riscv64};
    matches!(machine, Aarch64 | Aarch64_Ilp32 | Riscv32 | Riscv64)
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

/// A longer one is not read.
const LONGEST_COMMENT: u64 = 1 << 20;

/// The texts of `.comment`, each once.
fn compilers<'data, Elf, R>(file: &ElfFile<'data, Elf, R>) -> Vec<String>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let comment = file.section_by_name(".comment").filter(|section| section.size() <= LONGEST_COMMENT);
    let comment = comment.and_then(|section| section.data().ok()).unwrap_or_default();
    let mut texts: Vec<String> = Vec::new();
    for text in comment.split(|&byte| byte == 0).filter(|text| !text.is_empty()).take(64) {
        let text = String::from_utf8_lossy(text).into_owned();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// Section (of a relocatable file), address, name, source file.
type Function = (Option<usize>, u64, Rc<str>, Option<Rc<str>>);

/// The names of functions, where a file has them.
struct Names {
    /// In order.
    functions: Vec<Function>,
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
                SymbolKind::File => source = Some(Rc::from(name)),
                SymbolKind::Text if wanted => {
                    // Global symbols come after the last source file's own: whose they are is not said.
                    let source = source.clone().filter(|_| relocatable || symbol.is_local());
                    let section = symbol.section_index().filter(|_| relocatable).map(|index| index.0);
                    names.functions.push((section, symbol.address(), Rc::from(name), source));
                }
                _ => {}
            }
        }
        names.functions.sort();
        names
    }

    /// The function that an address is in, and its source file.
    fn at(&self, section: Option<usize>, address: u64) -> (Option<Rc<str>>, Option<Rc<str>>) {
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
