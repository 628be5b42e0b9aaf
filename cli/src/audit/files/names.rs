//! Symbols of an ELF file: functions by address, and calls that create trampolines.

use super::facts::{Call, Compiler, Pool, PoolOf};
use crate::audit::code::assembly::Assembly;
use object::read::ReadRef;
use object::read::elf::{Dyn, ElfFile, FileHeader, ProgramHeader};
use object::{Architecture, Endianness, Object, ObjectKind, ObjectSymbol, SymbolKind, elf};
use std::sync::Arc;

/// A function's section (in a relocatable file), address, size, name, and source file.
type Function = (Option<usize>, u64, u64, Arc<str>, Option<Arc<str>>);

/// Maximum number of functions to record.
const MOST: usize = 4 << 20;

/// Maximum number of assembly source files to list.
const MOST_SOURCES: usize = 32;

/// The functions of an ELF file, and the interfaces through which it creates trampolines.
pub struct Names {
    /// The functions with symbols, sorted by section and address. Empty if functions were not requested.
    functions: Vec<Function>,
    /// Interfaces that the file calls or implements.
    pub calls: Vec<Call>,
    /// Whether the file itself exports such an interface, as a compiler's run-time library does.
    pub provides: bool,
    /// The compilers whose trampoline functions the file defines, and the compilers whose own pools it contains.
    defined: Vec<Compiler>,
    contained: Vec<Compiler>,
    /// The compilers whose functions this library provides, because the file lists this library as a dependency
    /// before the compiler's own library.
    needed: Vec<Compiler>,
    /// The first source file named in the symbol table.
    pub file: Option<Arc<str>>,
    /// Assembly source files named in the symbol table.
    pub assembly: Vec<Assembly>,
}

/// Substrings of the interface functions' names. The string table is searched for these substrings before the symbols
/// are read.
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
            defined: Vec::new(),
            contained: Vec::new(),
            needed: needed(file),
            file: None,
            assembly: Vec::new(),
        };
        // The lowest bit of a Thumb function's symbol value is a flag, not part of the address.
        let code_bits = if file.architecture() == Architecture::Arm { !1 } else { u64::MAX };
        let mut source = None;
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            // An object that defines such a function is part of a run-time library, so the definition is not treated as
            // a call.
            if let Some(call) = call(name).filter(|_| symbol.is_undefined() || !relocatable) {
                names.calls.push(call);
            }
            names.define(&symbol, name);
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
                    // In a linked file, all global symbols follow the local symbols of the last source file, so a
                    // global symbol's source file is unknown.
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
            names.define(&symbol, name);
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

    /// Records that the file defines a compiler's trampoline function, or part of a compiler's own pool.
    fn define<'data>(&mut self, symbol: &impl ObjectSymbol<'data>, name: &str) {
        if symbol.is_undefined() {
            return;
        }
        let compilers = match name {
            "__gcc_nested_func_ptr_created" => Some((&mut self.defined, Compiler::Gcc)),
            "_FortranATrampolineInit" | "_FortranAInitTrampoline" => {
                Some((&mut self.defined, Compiler::Flang))
            }
            // A function in libgcc's heap-trampoline.c, and the member functions of flang's `TrampolinePool`.
            "allocate_trampoline_page" => Some((&mut self.contained, Compiler::Gcc)),
            _ if name.starts_with("_ZN7Fortran") && name.contains("rampoline") => {
                Some((&mut self.contained, Compiler::Flang))
            }
            _ => None,
        };
        if let Some((compilers, compiler)) = compilers.filter(|(listed, it)| !listed.contains(it)) {
            compilers.push(compiler);
        }
    }

    /// Returns the pool of each compiler whose functions a linked file calls or defines. `has_table` is true if the file
    /// contains this library's table.
    pub fn pools(&self, has_table: bool) -> Vec<PoolOf> {
        let pool = |compiler: Compiler, call: Call| {
            let is_ours = match self.defined.contains(&compiler) {
                true => has_table && !self.contained.contains(&compiler),
                false => self.calls.contains(&call) && self.needed.contains(&compiler),
            };
            let pool = if is_ours { Pool::Statictramp } else { Pool::Runtime };
            (is_ours || self.calls.contains(&call)).then_some(PoolOf { compiler, pool })
        };
        let pools = [(Compiler::Gcc, Call::GccHeap), (Compiler::Flang, Call::FlangPool)];
        pools.into_iter().filter_map(|(compiler, call)| pool(compiler, call)).collect()
    }

    /// Returns the function that contains an address, and its source file. A stripped file lists only some of its
    /// functions, so the closest preceding function might end before the address. Its size is therefore checked.
    pub fn at(&self, section: Option<usize>, address: u64) -> (Option<Arc<str>>, Option<Arc<str>>) {
        /// Maximum number of functions to check before the address. There can be several, because a function can have
        /// several names or contain other functions.
        const TRIED: usize = 64;
        let after = self.functions.partition_point(|function| (function.0, function.1) <= (section, address));
        let before = self.functions.get(..after).unwrap_or_default();
        let mut near = before.iter().rev().take(TRIED);
        let found = near.find(|(its, start, size, ..)| *its == section && address - start < *size);
        found.map_or((None, None), |(.., name, source)| (Some(name.clone()), source.clone()))
    }
}

/// Returns the compilers whose library does not precede this library in the dynamic section, if this library is listed
/// there. The loader uses the function in the first library that has it.
fn needed<'data, Elf, R>(file: &ElfFile<'data, Elf, R>) -> Vec<Compiler>
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
    let (Some(names), Some(len)) = (value(elf::DT_STRTAB), value(elf::DT_STRSZ)) else { return Vec::new() };
    let names = headers.iter().find_map(|header| {
        let into = names.checked_sub(header.p_vaddr(endian).into())?;
        let within = header.p_type(endian) == elf::PT_LOAD && into < header.p_filesz(endian).into();
        let at = header.p_offset(endian).into().checked_add(into)?;
        within.then(|| data.read_bytes_at(at, len).ok()).flatten()
    });
    let names = names.unwrap_or_default();
    let needed = dynamic.iter().filter(|entry| entry.d_tag(endian).into() == u64::from(elf::DT_NEEDED));
    let mut compilers = vec![Compiler::Gcc, Compiler::Flang];
    for entry in needed {
        let at = usize::try_from(entry.d_val(endian).into()).unwrap_or(usize::MAX);
        let name = names.get(at..).unwrap_or_default();
        if name.starts_with(b"libstatictramp.so") || name.starts_with(b"libstatictramp_runtime.so") {
            return compilers;
        }
        compilers.retain(|compiler| match compiler {
            Compiler::Gcc => !name.starts_with(b"libgcc_s.so"),
            Compiler::Flang => !name.starts_with(b"libflang_rt."),
        });
    }
    Vec::new()
}
