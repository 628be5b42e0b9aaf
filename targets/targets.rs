//! The targets for which the library has stubs, and a decoder for these stubs. `processors.rs` contains the data of
//! each processor: its rows in the table of targets, and the instructions of its stubs.
//!
//! This crate is an internal part of `statictramp`. It is a separate crate because build scripts of several published
//! crates need the table, and a package cannot contain files from outside its folder.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "build")]
mod current;
mod processors;
pub mod stub;

#[cfg(feature = "build")]
pub use current::Target;
pub use processors::TARGETS;

/// A target for which the library has stubs. On every other target, compiler-generated functions replace the stubs.
/// `CONTRIBUTING.md` lists the steps for adding a target.
#[derive(Debug)]
pub struct Row {
    /// The instruction set.
    pub isa: Isa,
    /// The operating system (`target_os`), or `none` for boards.
    pub os: &'static str,
    /// The supported C libraries (`target_env`). On Linux the core calls libc.
    pub env: &'static [&'static str],
    /// The accepted prefixes of the target's name, for processors on which only the name shows which instructions are
    /// available. An empty list accepts any name. The prefixes also apply to custom targets, which are described by a
    /// file.
    pub names: &'static [&'static str],
    /// The file in `asm/` that contains the stubs.
    pub assembly: &'static str,
    /// The number of slots.
    pub slots: Slots,
}

/// An instruction set with its calling conventions.
#[derive(Clone, Copy, Debug)]
pub struct Isa {
    /// The processor (`target_arch`).
    pub arch: &'static str,
    /// The size of a pointer in bits (`target_pointer_width`).
    pub bits: u32,
    /// The byte order (`target_endian`).
    pub endian: &'static str,
    /// Properties shared with other instruction sets. Each is also the name of the cfg with which sources select code
    /// for it.
    ///
    /// | family | property |
    /// |---|---|
    /// | `chain_is_an_argument` | LLVM 19 to 23 pass a `nest` argument as an ordinary first argument (`flang/`) |
    /// | `doublewords` | the address of a closure may be passed beside pairs of doublewords (`src/arch/doublewords.rs`) |
    /// | `eight_registers` | the address of a closure is passed in the ways of `src/arch/eight_registers.rs` |
    /// | `inserts` | the C library inserts an argument with more than one instruction (`capi/src/arch/`) |
    /// | `leaves` | structs of one or two scalars are passed scalar by scalar (`convention/leaves.rs`) |
    /// | `memref_closures`, `memref_halves`, `memref_vectors` | memref closures on Linux and Windows (`interop/`); they support 16-bit floating-point numbers; they support vectors |
    /// | `pads` | the stubs can begin with landing pads |
    /// | `relative` | `src/arch/address.rs` computes addresses relative to the program counter |
    /// | `thread_words` | on Linux, thread-local words can pass the address of a closure (`src/arch/in_thread.rs`) |
    /// | `thumb1` | Thumb code without Thumb-2 instructions |
    /// | `unstable_asm` | Rust's inline assembly is unstable, so the crate needs a nightly compiler |
    pub families: &'static [&'static str],
    /// Prefixes of the names of targets that pass arguments in floating-point registers of 8 bytes. They matter only if
    /// `leaves` is among the families. Stable compilers do not report such features, but they support only built-in
    /// targets, whose names imply the features.
    pub doubles: &'static [&'static str],
    /// Prefixes of the names of targets that pass arguments in floating-point registers of 4 bytes.
    pub singles: &'static [&'static str],
}

/// The number of slots of a table.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// The number of slots if the build does not choose a number.
    pub default: usize,
    /// The maximum number.
    pub most: usize,
}

/// The limit on every target. A larger index would not fit into a free record (`src/pool/hosted/slot.rs`).
pub const MOST_SLOTS: usize = 1 << 20;
/// Targets with an operating system.
pub const HOSTED: Slots = Slots { default: 1024, most: MOST_SLOTS };
/// Targets without stubs, on which each slot needs one function for each signature.
pub const PORTABLE: Slots = Slots { default: 64, most: 4096 };
