//! What can be seen in a file.

use crate::audit::code::patterns::Maker;
use crate::audit::table::Table;
use object::Architecture;
use std::path::PathBuf;
use std::rc::Rc;

/// A file, or a member of an archive.
pub struct Audited {
    pub path: PathBuf,
    pub member: Option<String>,
    pub facts: Facts,
}

/// What kind of file it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Elf,
    Pe,
    MachO,
    Bitcode,
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
    pub format: Format,
    pub linked: bool,
    pub machine: Architecture,
    pub asks: Asks,
    /// Where code writes trampolines.
    pub writes: Vec<Written>,
    /// Compilers, as `.comment` names them.
    pub compilers: Vec<String>,
    /// Interfaces whose trampolines lie in memory that is made executable at run time.
    pub calls: Vec<Call>,
    /// Why its code cannot be judged.
    pub unjudged: Option<Unjudged>,
    /// Loaded writable and executable.
    pub writable_code: Vec<WritableCode>,
    /// Code is written to when it is loaded.
    pub text_relocations: bool,
    /// What it is protected by.
    pub protection: Protection,
    /// Tables of stubs of this library.
    pub tables: Vec<Table>,
    /// Source files of assembly, which is where the note is forgotten.
    pub assembly: Vec<String>,
}

/// Why code cannot be judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unjudged {
    /// Bitcode, or a compiler's own format for link-time optimization.
    NotCompiled,
    /// Its code is compressed.
    Packed,
    /// No patterns are known for this processor.
    Machine,
}

/// An interface by which compiled code has trampolines made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Call {
    /// `-ftrampoline-impl=heap` with libgcc's own part.
    GccHeap,
    /// `-fsafe-trampoline` with flang's own part.
    FlangPool,
    /// `__trampoline_setup` of the compilers' run-time libraries: on the stack.
    TrampolineSetup,
}

/// A segment or section that is writable and executable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WritableCode {
    pub address: u64,
    /// Nothing if it is a segment.
    pub section: Option<String>,
}

/// Where a trampoline is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    pub address: u64,
    pub function: Option<Rc<str>>,
    /// Source file, with the line where it is known.
    pub source: Option<Rc<str>>,
    /// The compiler and its options, as debugging information names them.
    pub producer: Option<Rc<str>>,
    pub maker: Maker,
}

/// What a file has against being taken over.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Protection {
    /// The bits of GNU_PROPERTY_X86_FEATURE_1_AND or its like for AArch64, if there are any.
    pub features: Option<u32>,
    /// Relocated data is read-only after loading.
    pub relro: Relro,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Relro {
    #[default]
    None,
    /// All but what is resolved when it is called first.
    Partial,
    Full,
}

impl Facts {
    /// Of a file of which no more is known yet.
    pub fn new(format: Format, linked: bool, machine: Architecture) -> Self {
        Facts {
            format,
            linked,
            machine,
            asks: Asks::SaysNothing,
            writes: Vec::new(),
            compilers: Vec::new(),
            calls: Vec::new(),
            unjudged: None,
            writable_code: Vec::new(),
            text_relocations: false,
            protection: Protection::default(),
            tables: Vec::new(),
            assembly: Vec::new(),
        }
    }

    pub fn bitcode() -> Self {
        Facts {
            unjudged: Some(Unjudged::NotCompiled),
            ..Facts::new(Format::Bitcode, false, Architecture::Unknown)
        }
    }
}

impl Protection {
    /// The names of the features of a processor's control-flow protection that all of its code carries.
    pub fn features(self, machine: Architecture) -> Vec<&'static str> {
        let bits = self.features.unwrap_or(0);
        let names: &[&'static str] = match machine {
            Architecture::X86_64 | Architecture::X86_64_X32 | Architecture::I386 => &["IBT", "SHSTK"],
            Architecture::Aarch64 | Architecture::Aarch64_Ilp32 => &["BTI", "PAC", "GCS"],
            Architecture::Riscv64 | Architecture::Riscv32 => &["Zicfilp", "Zicfiss"],
            _ => &[],
        };
        names.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 != 0).map(|(_, &name)| name).collect()
    }
}
