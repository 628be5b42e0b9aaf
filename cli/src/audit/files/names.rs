//! Symbols of an ELF file: functions by address, and calls that create trampolines.

use super::facts::Call;
use crate::audit::code::assembly::Assembly;
use object::read::ReadRef;
use object::read::elf::{Dyn, ElfFile, FileHeader, ProgramHeader};
use object::{Architecture, Endianness, Object, ObjectKind, ObjectSymbol, SymbolKind, elf};
use std::sync::Arc;

/// A function's section (in a relocatable file), address, size, name, and source file.
type Function = (Option<usize>, u64, u64, Arc<str>, Option<Arc<str>>);

/// Maximum number of functions that are recorded.
const MOST: usize = 4 << 20;

/// Maximum number of assembly source files that are listed.
const MOST_SOURCES: usize = 32;

/// The functions of an ELF file, and the interfaces through which it creates trampolines.
pub struct Names {
    /// The functions that have symbols, sorted by section and address, or none if they were not requested.
    functions: Vec<Function>,
    /// Interfaces that the file calls or implements.
    pub calls: Vec<Call>,
    /// Whether the file itself implements such an interface, as a compiler's run-time library does.
    pub provides: bool,
    /// Whether the file names this library, which then provides the called functions, as a dependency.
    pub needs_this_library: bool,
    /// The first source file named in the symbol table.
    pub file: Option<Arc<str>>,
    /// Assembly source files named in the symbol table.
    pub assembly: Vec<Assembly>,
}

/// Substrings of the names of the interfaces' functions, for which the string table is searched before the symbols are
/// read.
pub const PARTS: [&[u8]; 2] = [b"__gcc_nested_func_ptr_created", b"rampoline"];

fn call(name: &str) -> Option<Call> {
    match name {
        "__gcc_nested_func_ptr_created" => Some(Call::GccHeap),
        "_FortranATrampolineInit" => Some(Call::FlangPool),
        "__trampoline_setup" => Some(Call::TrampolineSetup),
        _ => None,
    }
}

impl Names {
    /// Reads the symbols of a file. Collects functions only if `wanted` is true.
    pub fn of<'data, Elf, R>(file: &ElfFile<'data, Elf, R>, wanted: bool) -> Self
    where
        Elf: FileHeader<Endian = Endianness>,
        R: ReadRef<'data>,
    {
        let relocatable = file.kind() == ObjectKind::Relocatable;
        let mut names = Names {
            functions: Vec::new(),
            calls: Vec::new(),
            provides: false,
            needs_this_library: needs_this_library(file),
            file: None,
            assembly: Vec::new(),
        };
        // The lowest bit of a Thumb function's value is a flag and not part of the address.
        let code_bits = if file.architecture() == Architecture::Arm { !1 } else { u64::MAX };
        let mut source = None;
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            // An object that defines such a function is part of a run-time library, so the definition does not count as
            // a call.
            if let Some(call) = call(name).filter(|_| symbol.is_undefined() || !relocatable) {
                names.calls.push(call);
            }
            match symbol.kind() {
                SymbolKind::File => {
                    source = Some(Arc::from(name));
                    names.file = names.file.take().or_else(|| source.clone());
                    let is_new = |it: &Assembly| !names.assembly.contains(it);
                    if names.assembly.len() < MOST_SOURCES {
                        names.assembly.extend(Assembly::named(name).filter(is_new));
                    }
                }
                SymbolKind::Text if wanted && !symbol.is_undefined() && names.functions.len() < MOST => {
                    // In a linked file, the global symbols follow the local symbols of all source files, and their own
                    // source files are not recorded.
                    let source = source.clone().filter(|_| relocatable || symbol.is_local());
                    let section = symbol.section_index().filter(|_| relocatable).map(|index| index.0);
                    let address = symbol.address() & code_bits;
                    names.functions.push((section, address, symbol.size(), Arc::from(name), source));
                }
                _ => {}
            }
        }
        for symbol in file.dynamic_symbols() {
            let Ok(name) = symbol.name() else { continue };
            if let Some(call) = call(name) {
                names.provides |= !symbol.is_undefined() && file.kind() == ObjectKind::Dynamic;
                names.calls.push(call);
            }
            if wanted
                && symbol.kind() == SymbolKind::Text
                && !symbol.is_undefined()
                && names.functions.len() < MOST
            {
                let address = symbol.address() & code_bits;
                names.functions.push((None, address, symbol.size(), Arc::from(name), None));
            }
        }
        names.functions.sort();
        names
    }

    /// Returns the function that contains an address, and its source file. A stripped file lists only some of its
    /// functions, so the closest one before an address may end before it, as its size shows.
    pub fn at(&self, section: Option<usize>, address: u64) -> (Option<Arc<str>>, Option<Arc<str>>) {
        /// Maximum number of functions before the address that are checked: a function may have several names, or
        /// contain others.
        const TRIED: usize = 64;
        let after = self.functions.partition_point(|function| (function.0, function.1) <= (section, address));
        let before = self.functions.get(..after).unwrap_or_default();
        let mut near = before.iter().rev().take(TRIED);
        let found = near.find(|(its, start, size, ..)| *its == section && address - start < *size);
        found.map_or((None, None), |(.., name, source)| (Some(name.clone()), source.clone()))
    }
}

/// Returns whether the dynamic section names this library.
fn needs_this_library<'data, Elf, R>(file: &ElfFile<'data, Elf, R>) -> bool
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let (endian, data) = (file.endian(), file.data());
    let headers = file.elf_program_headers();
    let dynamic =
        headers.iter().find_map(|header| header.dynamic(endian, data).ok().flatten()).unwrap_or_default();
    let value = |tag: u32| {
        let mut entries = dynamic.iter().filter(|entry| entry.d_tag(endian).into() == u64::from(tag));
        entries.next().map(|entry| entry.d_val(endian).into())
    };
    let (Some(names), Some(len)) = (value(elf::DT_STRTAB), value(elf::DT_STRSZ)) else { return false };
    let names = headers.iter().find_map(|header| {
        let into = names.checked_sub(header.p_vaddr(endian).into())?;
        let within = header.p_type(endian) == elf::PT_LOAD && into < header.p_filesz(endian).into();
        let at = header.p_offset(endian).into().checked_add(into)?;
        within.then(|| data.read_bytes_at(at, len).ok()).flatten()
    });
    let names = names.unwrap_or_default();
    let mut needed = dynamic.iter().filter(|entry| entry.d_tag(endian).into() == u64::from(elf::DT_NEEDED));
    needed.any(|entry| {
        let at = usize::try_from(entry.d_val(endian).into()).unwrap_or(usize::MAX);
        names.get(at..).is_some_and(|name| name.starts_with(b"libstatictramp.so"))
    })
}
