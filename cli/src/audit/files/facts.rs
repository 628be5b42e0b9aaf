//! Facts found in a file.

use super::hardening::Hardening;
use super::location::Location;
use super::machine::Outside;
use super::origin::Origin;
use crate::audit::code::assembly::Assembly;
use crate::audit::code::patterns::{Doubt, Maker};
use crate::audit::table::Table;
use object::Architecture;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A file, or a member of an archive or package.
pub struct Audited {
    pub location: Location,
    pub facts: Facts,
}

/// Format of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Format {
    Elf,
    Pe,
    MachO,
    Bitcode,
}

/// Whether a file requests an executable stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub enum Asks {
    /// The stack is readable, writable and executable.
    #[serde(rename = "RWE")]
    Yes,
    /// The stack is readable and writable.
    #[serde(rename = "RW")]
    No,
    /// The file has no PT_GNU_STACK, or no `.note.GNU-stack`, so the linker, the kernel and libc choose the
    /// permissions.
    #[serde(rename = "none")]
    SaysNothing,
}

/// Facts found in a file.
#[derive(Debug)]
pub struct Facts {
    pub format: Format,
    pub linked: bool,
    pub machine: Architecture,
    pub asks: Asks,
    /// Locations where code writes trampolines.
    pub writes: Vec<Written>,
    /// Compilers named in `.comment`.
    pub compilers: Vec<String>,
    /// Run-time interfaces, other than this library's, through which the file creates trampolines.
    pub calls: Vec<Call>,
    /// The pools from which compiled code in a linked file takes its trampolines.
    pub pools: Vec<PoolOf>,
    /// The reason why the file's code cannot be analysed.
    pub unjudged: Option<Unjudged>,
    /// The reason, if any, why the stack note has no meaning for the file. Such files are counted, and listed only on
    /// request.
    pub outside: Option<Outside>,
    /// Whether a program interpreter or an ABI note shows that the file needs an operating system.
    pub has_system: bool,
    /// Whether the file is a program that loads no libraries.
    pub is_static: bool,
    /// Whether the file is treated as a shared library, that is, has type ET_DYN, a dynamic section that does not mark
    /// it as a program, and a SONAME or no interpreter. (The dynamic section of a static PIE marks it as a program.)
    pub is_library: bool,
    /// Segments or sections that are both writable and executable when loaded.
    pub writable_code: Vec<WritableCode>,
    /// Whether loading the file modifies its code.
    pub text_relocations: bool,
    /// Whether the section headers are invalid. If so, the facts come from the segments.
    pub has_invalid_sections: bool,
    /// Whether the file is marked as having text relocations, but none of its relocations changes code.
    pub idle_text_relocations: bool,
    /// Whether BOLT rewrote the file after linking.
    pub is_bolted: bool,
    /// Hardening properties.
    pub protection: Protection,
    /// Further hardening properties, if requested.
    pub hardening: Option<Hardening>,
    /// This library's stub tables.
    pub tables: Vec<Table>,
    /// Assembly source files, in which the note is often missing.
    pub assembly: Vec<Assembly>,
    /// The project whose assembly probably caused an unnecessary request for an executable stack.
    pub origin: Option<&'static Origin>,
    /// The source file of an object, as named in its symbol table.
    pub source: Option<String>,
}

/// Reason why code cannot be analysed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unjudged {
    /// Bitcode, or a compiler-specific format for link-time optimization.
    NotCompiled,
    /// The code is compressed.
    Packed,
    /// There are no patterns for this processor.
    Machine,
    /// Only headers were read, as requested.
    Quick,
}

/// An interface through which compiled code creates trampolines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Call {
    /// `-ftrampoline-impl=heap` with libgcc's implementation.
    GccHeap,
    /// `-fsafe-trampoline` with flang's implementation.
    FlangPool,
    /// `__trampoline_setup`, a function in the compilers' run-time libraries that writes trampolines to the stack.
    TrampolineSetup,
}

/// The pool from which one compiler's code takes its trampolines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct PoolOf {
    pub compiler: Compiler,
    pub pool: Pool,
}

/// A compiler that generates calls to trampoline-making functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Compiler {
    /// GCC with `-ftrampoline-impl=heap`.
    Gcc,
    /// flang with `-fsafe-trampoline` or this library's plugin.
    Flang,
}

/// The origin of the trampoline-making functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Pool {
    /// This library, either linked into the file or loaded with it.
    Statictramp,
    /// The compiler's own run-time library: libgcc or flang's.
    Runtime,
}

/// A writable and executable segment or section.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct WritableCode {
    pub address: u64,
    /// The name of the section; `null` for a segment.
    pub section: Option<String>,
}

/// A location in the code where a trampoline is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    pub address: u64,
    pub function: Option<Arc<str>>,
    /// Source file and, if known, the line.
    pub source: Option<Arc<str>>,
    /// The compiler and its options, from debug information.
    pub producer: Option<Arc<str>>,
    pub maker: Maker,
    /// Why the trampoline might not be on the stack.
    pub doubt: Option<Doubt>,
}

/// Hardening properties of a file.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Protection {
    /// The bits of GNU_PROPERTY_X86_FEATURE_1_AND or its AArch64 counterpart, if present.
    pub features: Option<u32>,
    /// How much of the relocated data is read-only after loading.
    pub relro: Relro,
}

/// A control-flow protection feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub enum Feature {
    #[serde(rename = "IBT")]
    Ibt,
    #[serde(rename = "SHSTK")]
    Shstk,
    #[serde(rename = "BTI")]
    Bti,
    #[serde(rename = "PAC")]
    Pac,
    #[serde(rename = "GCS")]
    Gcs,
    Zicfilp,
    Zicfiss,
}

impl Call {
    /// Returns the compiler that generates calls to the interface, if the interface may use a pool.
    pub fn compiler(self) -> Option<Compiler> {
        match self {
            Call::GccHeap => Some(Compiler::Gcc),
            Call::FlangPool => Some(Compiler::Flang),
            Call::TrampolineSetup => None,
        }
    }
}

impl std::fmt::Display for Feature {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(to)
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Relro {
    #[default]
    None,
    /// All relocated data is read-only, except addresses resolved at the first call.
    Partial,
    Full,
}

impl Facts {
    /// Returns true if code writes trampolines but none of them is known to be on the stack.
    pub fn is_doubtful(&self) -> bool {
        !self.writes.is_empty()
            && self.writes.iter().all(|it| it.doubt.is_some())
            && !self.calls.contains(&Call::TrampolineSetup)
    }

    /// Returns whether the file has the flag only because the linker for its processor sets it by default. Linkers for
    /// MIPS and HP-PA do so, unless all objects request a non-executable stack.
    pub fn has_default_flag(&self) -> bool {
        use Architecture::{Hppa, Mips, Mips64, Mips64_N32};
        self.format == Format::Elf
            && matches!(self.machine, Mips | Mips64 | Mips64_N32 | Hppa)
            && self.asks != Asks::No
            && self.writes.is_empty()
            && !self.calls.contains(&Call::TrampolineSetup)
            && self.unjudged != Some(Unjudged::Packed)
    }

    /// Returns whether each trampoline written by the code has its own entry in the list. Code from GCC may copy one
    /// template or store the same constants several times, and on RISC-V it keeps the constants in registers across
    /// long functions.
    pub fn lists_all_writes(&self) -> bool {
        use Architecture::{Aarch64, Aarch64_Ilp32, Arm, Mips, Mips64, Mips64_N32, Riscv32, Riscv64};
        let shares = matches!(
            self.machine,
            Aarch64 | Aarch64_Ilp32 | Arm | Mips | Mips64 | Mips64_N32 | Riscv32 | Riscv64
        );
        !shares || self.writes.iter().all(|it| it.maker == Maker::Llvm)
    }

    /// Returns a file's initial facts: everything except these arguments is unknown.
    pub fn new(format: Format, linked: bool, machine: Architecture) -> Self {
        Facts {
            format,
            linked,
            machine,
            asks: Asks::SaysNothing,
            writes: Vec::new(),
            compilers: Vec::new(),
            calls: Vec::new(),
            pools: Vec::new(),
            unjudged: None,
            outside: None,
            has_system: false,
            is_static: false,
            is_library: false,
            writable_code: Vec::new(),
            text_relocations: false,
            has_invalid_sections: false,
            idle_text_relocations: false,
            is_bolted: false,
            protection: Protection::default(),
            hardening: None,
            tables: Vec::new(),
            assembly: Vec::new(),
            origin: None,
            source: None,
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
    /// Returns the names of the control-flow protection features that all code in a file supports.
    pub fn features(self, machine: Architecture) -> Vec<Feature> {
        let bits = self.features.unwrap_or(0);
        let names = Protection::known(machine).iter().enumerate();
        names.filter(|(bit, _)| bits >> bit & 1 != 0).map(|(_, &name)| name).collect()
    }

    /// Returns a processor's features, in bit order.
    pub fn known(machine: Architecture) -> &'static [Feature] {
        match machine {
            Architecture::X86_64 | Architecture::X86_64_X32 | Architecture::I386 => {
                &[Feature::Ibt, Feature::Shstk]
            }
            Architecture::Aarch64 | Architecture::Aarch64_Ilp32 => {
                &[Feature::Bti, Feature::Pac, Feature::Gcs]
            }
            Architecture::Riscv64 | Architecture::Riscv32 => &[Feature::Zicfilp, Feature::Zicfiss],
            _ => &[],
        }
    }
}
