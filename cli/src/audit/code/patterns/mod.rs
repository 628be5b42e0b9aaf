//! Patterns of trampoline code: the immediates, or the template, that compiled code stores on the stack.
//!
//! Each pattern was taken from the output of the compilers named next to it. Code that matches a pattern is assumed to
//! write a trampoline when it runs; the file cannot show whether it ever does.
//!
//! - `x86.rs`: searches x86-64 and i386 code for immediates that are close together, rarest bytes first; `decoded.rs`:
//!   decodes such code to check that it stores the immediates at the offsets of a trampoline's parts;
//! - `aarch64.rs`, `riscv.rs`: AArch64 and RISC-V code that builds a trampoline from immediates; `flow.rs`: register
//!   values in such code; `words.rs`: words of code;
//! - `mips.rs`: MIPS code that builds a trampoline from immediates;
//! - `aarch64.rs`, `arm.rs`: templates; `templates.rs`: code that copies a template to the stack.

use object::Architecture;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

mod aarch64;
mod arm;
mod decoded;
mod flow;
mod mips;
mod riscv;
mod templates;
mod words;
mod x86;

/// The location of a trampoline template, or of code that writes a trampoline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// Offset in the searched bytes.
    pub offset: usize,
    /// The probable compiler.
    pub maker: Maker,
    /// Why the trampoline might not be on the stack, or `None` if its address is on the stack.
    pub doubt: Option<Doubt>,
}

/// Code that copies a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copied {
    /// Address of the code.
    pub code: u64,
    pub template: u64,
    /// Why the copy might not be on the stack.
    pub doubt: Option<Doubt>,
}

/// Reason why a trampoline might not be on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Doubt {
    /// The instructions might write to memory other than the stack.
    Address,
    /// The site is a template, and no code was found that copies it to the stack.
    Template,
}

impl Doubt {
    /// Returns the reason as text for the end of a message.
    pub fn reason(self) -> &'static str {
        match self {
            Doubt::Address => "it is unclear whether the address it writes to is on the stack",
            Doubt::Template => "no code was found that copies this template to the stack",
        }
    }
}

/// The compiler whose output a pattern was taken from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    Gcc,
    Llvm,
    Either,
}

impl Maker {
    /// Returns whether the compiler named in `text`, a string read from a file, might have generated the pattern.
    pub fn may_be(self, text: &str) -> bool {
        match self {
            Maker::Gcc => text.contains("GCC") || text.contains("GNU"),
            Maker::Llvm => text.contains("clang") || text.contains("flang") || text.contains("LLVM"),
            Maker::Either => true,
        }
    }

    /// Returns a description of the compiler, for a file that does not name its compiler.
    pub fn unnamed(self) -> &'static str {
        match self {
            Maker::Gcc => "GCC, judging by the instructions (the file does not name its compiler)",
            Maker::Llvm => {
                "an LLVM compiler, judging by the instructions (the file does not name its compiler)"
            }
            Maker::Either => "GCC or an LLVM compiler (the file does not name its compiler)",
        }
    }
}

/// Returns whether there are patterns for a processor.
pub fn known(machine: Architecture) -> bool {
    may_be_in(machine, true)
}

/// Returns whether there are patterns for a processor's code or, if `executable` is false, for its data. Read-only data
/// may also contain templates.
pub fn may_be_in(machine: Architecture, executable: bool) -> bool {
    use Architecture::{
        Aarch64, Aarch64_Ilp32, Arm, I386, Mips, Mips64, Mips64_N32, Riscv32, Riscv64, X86_64, X86_64_X32,
    };
    match machine {
        X86_64 | X86_64_X32 | I386 | Riscv32 | Riscv64 | Mips | Mips64 | Mips64_N32 => executable,
        Aarch64 | Aarch64_Ilp32 | Arm => true,
        _ => false,
    }
}

/// The calling convention of 64-bit x86 code. It depends on the file's format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    SystemV,
    Windows,
}

/// Finds trampoline templates, and code that writes trampolines, in a chunk of a section or segment. `executable` is
/// true if the chunk contains code.
pub fn search(machine: Architecture, convention: Convention, bytes: &[u8], executable: bool) -> Vec<Site> {
    match machine {
        Architecture::X86_64 | Architecture::X86_64_X32 if executable => x86::x86_64(bytes, convention),
        Architecture::I386 if executable => x86::i386(bytes),
        Architecture::Aarch64 | Architecture::Aarch64_Ilp32 => aarch64::aarch64(bytes, executable),
        Architecture::Arm => arm::arm(bytes),
        Architecture::Riscv64 if executable => riscv::riscv64(bytes),
        Architecture::Riscv32 if executable => riscv::riscv32(bytes),
        Architecture::Mips | Architecture::Mips64 | Architecture::Mips64_N32 if executable => {
            mips::mips(bytes)
        }
        _ => Vec::new(),
    }
}

pub use templates::{Copies, PAD};

/// Maximum number of sites in one chunk of code. Additional sites are ignored.
const MOST: usize = 10_000;

/// Maximum distance, in bytes, between the instructions that build the parts of one trampoline.
const NEAR: usize = 600;

/// The base to which an address is relative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Root {
    /// The stack pointer, possibly adjusted by an unknown number of bytes.
    Stack(u32),
    /// The unknown value of the frame pointer at the beginning of the decoded code.
    Frame,
    Unknown(u32),
}

impl Root {
    /// Returns whether the address is on the stack. `frame_on_stack` is true if the frame pointer is known to point into
    /// the stack.
    fn is_stack(self, frame_on_stack: bool) -> bool {
        match self {
            Root::Stack(_) => true,
            Root::Frame => frame_on_stack,
            Root::Unknown(_) => false,
        }
    }
}

/// A trampoline written by a sequence of stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Made {
    /// Offset of the first instruction that stores a part of the trampoline.
    first: usize,
    on_stack: bool,
}

/// The sites in one chunk of code. Although the decoded ranges overlap, there is at most one site at each offset.
#[derive(Default)]
struct Sites(BTreeMap<usize, Site>);

impl Sites {
    /// Adds a site unless there already is one at the same offset.
    fn add(&mut self, site: Site) {
        if self.0.len() < MOST {
            self.0.entry(site.offset).or_insert(site);
        }
    }

    /// Adds a trampoline written by decoded code.
    fn add_made(&mut self, made: Made, maker: Maker) {
        let doubt = (!made.on_stack).then_some(Doubt::Address);
        self.add(Site { offset: made.first, maker, doubt });
    }

    /// Adds the trampolines written by the code around these parts. If the decoded code writes none, adds the parts
    /// themselves, and records that their address is uncertain.
    fn add_all_made(&mut self, parts: &[Site], made: Vec<Made>) {
        let Some(Site { maker, .. }) = parts.first() else { return };
        if made.is_empty() {
            parts.iter().for_each(|site| self.add(Site { doubt: Some(Doubt::Address), ..*site }));
        }
        made.into_iter().for_each(|made| self.add_made(made, *maker));
    }

    fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }

    fn into_vec(self) -> Vec<Site> {
        self.0.into_values().collect()
    }
}

/// For each part of a trampoline, the offset of the most recent code that stores it, and the sites found so far.
struct Parts<const N: usize> {
    last: [Option<usize>; N],
    sites: Vec<Site>,
}

impl<const N: usize> Parts<N> {
    fn new() -> Self {
        Parts { last: [None; N], sites: Vec::new() }
    }

    fn store(&mut self, part: usize, at: usize) {
        self.last[part] = Some(at);
    }

    /// Forgets all parts, because the function that stores them has ended.
    fn forget(&mut self) {
        self.last = [None; N];
    }

    /// If the last stores of all parts are at most `near` bytes apart, records a site and forgets the parts.
    fn complete(&mut self, parts: &[usize], near: usize, maker: Maker) {
        let stored = || parts.iter().map(|&part| self.last[part]);
        let (Some(Some(first)), Some(Some(last))) = (stored().min(), stored().max()) else { return };
        if last - first <= near {
            if self.sites.len() < MOST {
                self.sites.push(Site { offset: first, maker, doubt: None });
            }
            self.last = [None; N];
        }
    }
}

/// The beginning of a heap trampoline on x86-64, a constant in libgcc: `endbr64; movabs $0, %r11; movabs %r10`.
const GCC_HEAP: &[u8] = b"\xf3\x0f\x1e\xfa\x49\xbb\0\0\0\0\0\0\0\0\x49\xba";

/// Returns whether `bytes` contains libgcc's heap-trampoline template for x86-64.
pub fn gcc_heap_template(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, GCC_HEAP).is_some()
}
