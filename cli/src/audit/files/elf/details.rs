//! Reads the symbols, debug information and statictramp table of an ELF file, if the user requests details or the
//! report may need them.

use super::{File, MOST};
use crate::audit::code::debug::{self, Debug};
use crate::audit::files::facts::{Asks, Call, Pool, Written};
use crate::audit::files::names::{self, Names};
use crate::audit::files::origin::{self, Origin};
use crate::audit::input::Cached;
use crate::audit::table;
use object::elf;
use object::read::ReadRef;
use object::read::elf::{ElfFile, FileHeader, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol};

/// Maximum length of `.comment` in bytes.
const LONGEST_COMMENT: u64 = 1 << 20;
const MOST_COMPILERS: usize = 64;
/// Maximum number of symbols to search for a known project's functions.
const MOST_SYMBOLS: usize = 1 << 20;

impl<'c, 'a, Elf: FileHeader<Endian = Endianness>> File<'c, 'a, Elf> {
    /// Returns whether a symbol table's strings contain part of a trampoline-creating function's name (see
    /// [`names::PARTS`]).
    pub(super) fn mentions_trampolines(&self) -> Result<bool, String> {
        let endian = self.endian;
        let mut mentioned = false;
        for section in self.sections.iter() {
            if ![elf::SHT_SYMTAB, elf::SHT_DYNSYM].contains(&section.sh_type(endian)) {
                continue;
            }
            let strings = object::SectionIndex(section.sh_link(endian) as usize);
            let Ok(strings) = self.sections.section(strings) else { continue };
            let (at, len) = (strings.sh_offset(endian).into(), strings.sh_size(endian).into());
            // An invalid string table is treated as empty.
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

    /// Collects the facts that depend on symbols and other tables.
    pub(super) fn details(&mut self, file: &ElfFile<'c, Elf, Cached<'c, 'a>>) {
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
        let has_table = !self.facts.tables.is_empty();
        self.facts.calls.extend(&names.calls);
        if names.provides && self.facts.is_library && !has_table {
            self.facts.calls.clear(); // the file itself is the library that provides the called functions
        } else if self.facts.linked {
            self.facts.pools = names.pools(has_table);
            let pool = |call: Call| self.facts.pools.iter().find(|it| Some(it.compiler) == call.compiler());
            self.facts.calls.retain(|&call| match pool(call) {
                Some(it) => it.pool == Pool::Runtime,
                // Without symbols, a heap-trampoline template was the only evidence of a call.
                None => call == Call::TrampolineSetup || !has_table,
            });
        } else if has_table {
            // This library provides all called functions except `__trampoline_setup`.
            self.facts.calls.retain(|call| *call == Call::TrampolineSetup);
        }
        // libgcc's own function writes trampolines to memory that it allocated.
        let is_heap = |name: &str| name == "__gcc_nested_func_ptr_created";
        self.found.retain(|&(section, address, _)| {
            !names.at(section, address).0.is_some_and(|name| is_heap(&name))
        });
        if self.facts.linked && self.facts.calls.contains(&Call::FlangPool) {
            // flang's trampoline pool is not on the stack, so the runtime functions that fill the pool are not
            // reported.
            self.found.retain(|&(section, address, _)| {
                !names.at(section, address).0.is_some_and(|name| is_pool(&name))
            });
        }
        self.facts.calls.sort();
        self.facts.calls.dedup();
        let wanted: Vec<debug::Address> = self.found.iter().map(|&(section, at, _)| (section, at)).collect();
        // Debug information is read only if it can add details to the report.
        let silent = self.facts.asks != Asks::No && self.facts.unjudged.is_none();
        let debug = (!wanted.is_empty() || silent).then(|| Debug::of(file, &wanted)).flatten();
        let debug = debug.unwrap_or_default();
        self.facts.assembly = debug.assembly;
        if self.facts.assembly.is_empty() && self.facts.asks != Asks::No {
            self.facts.assembly = names.assembly.clone();
        }
        let mut origins = debug.origins.into_iter();
        let found = std::mem::take(&mut self.found);
        self.facts.writes = found
            .into_iter()
            .map(|(section, address, site)| {
                let origin = origins.next().unwrap_or_default();
                let (function, file) = names.at(section, address);
                Written {
                    address,
                    function: function.or(origin.function),
                    source: origin.source.or(file),
                    producer: origin.producer,
                    maker: site.maker,
                    doubt: site.doubt,
                }
            })
            .collect();
        if self.facts.linked && self.facts.asks == Asks::Yes && self.facts.writes.is_empty() {
            self.facts.origin = origin(file);
        }
    }
}

/// Returns the project whose assembly code is in a file, if a section or a symbol identifies it.
fn origin<'data, Elf, R>(file: &ElfFile<'data, Elf, R>) -> Option<&'static Origin>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let mut sections = file.sections().filter_map(|it| it.name_bytes().ok());
    let mut symbols =
        file.symbols().chain(file.dynamic_symbols()).take(MOST_SYMBOLS).filter_map(|it| it.name_bytes().ok());
    sections.find_map(origin::of_section).or_else(|| symbols.find_map(origin::of_symbol))
}

/// Returns whether a function belongs to the trampoline pool in flang's run-time library.
fn is_pool(name: &str) -> bool {
    name.contains("Fortran") && name.contains("rampoline")
}

/// Returns the distinct strings in `.comment`.
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
