//! The targets for which the library has stubs, and a decoder for these stubs.
//!
//! This crate is an internal part of `statictramp`. It is a crate of its own because build scripts of several published
//! crates need the table, and a package cannot contain files from outside its folder.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "build")]
mod current;
pub mod stub;

#[cfg(feature = "build")]
pub use current::Target;

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
    /// The accepted prefixes of the target's name. They are needed if nothing else shows which instructions are
    /// available. They also apply to custom targets, which are described by a file. If the list is empty, any name is
    /// accepted.
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
    /// The same for registers of 4 bytes.
    pub singles: &'static [&'static str],
}

/// The number of slots of a table.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// The number if the build does not choose one.
    pub default: usize,
    /// The maximum number.
    pub most: usize,
}

const LINUX: &[&str] = &["gnu", "musl"];
const GNU: &[&str] = &["gnu"];
const NONE: &[&str] = &[""];
const WINDOWS: &[&str] = &["gnu", "msvc"];

/// The limit of all targets. A larger index would not fit into a free record (`src/pool/hosted/slot.rs`).
pub const MOST_SLOTS: usize = 1 << 20;
/// Targets with an operating system.
pub const HOSTED: Slots = Slots { default: 1024, most: MOST_SLOTS };
/// The addend of a relocation is a signed 24-bit number on AArch64 macOS, and a slot has 32 bytes.
const MACHO_AARCH64: Slots = Slots { most: (1 << 23) / 32, ..HOSTED };
/// A dead slot's record contains the slot's index in half a word (`src/pool/bare.rs`).
const BARE_32: Slots = Slots { default: 16, most: 1 << 16 };
const BARE_64: Slots = Slots { default: 16, most: MOST_SLOTS };
/// Targets without stubs, on which each slot needs one function for each signature.
pub const PORTABLE: Slots = Slots { default: 64, most: 4096 };

const LITTLE_64: Isa =
    Isa { arch: "", bits: 64, endian: "little", families: &[], doubles: &[], singles: &[] };
const LITTLE_32: Isa = Isa { bits: 32, ..LITTLE_64 };
const BIG_64: Isa = Isa { endian: "big", ..LITTLE_64 };

const X86_64: Isa = Isa {
    arch: "x86_64",
    families: &["memref_closures", "memref_halves", "memref_vectors", "pads", "relative"],
    ..LITTLE_64
};
/// The calling convention of Windows.
const X86_64_WINDOWS: Isa = Isa {
    families: &["inserts", "memref_closures", "memref_halves", "memref_vectors", "relative"],
    ..X86_64
};
const X86: Isa = Isa { arch: "x86", families: &["inserts", "pads"], ..LITTLE_32 };
const AARCH64: Isa = Isa {
    arch: "aarch64",
    families: &[
        "eight_registers",
        "memref_closures",
        "memref_halves",
        "memref_vectors",
        "pads",
        "relative",
        "thread_words",
    ],
    ..LITTLE_64
};
const RISCV64: Isa = Isa {
    arch: "riscv64",
    families: &["eight_registers", "leaves", "memref_closures", "memref_halves", "relative", "thread_words"],
    doubles: &["riscv64gc-", "riscv64a23-"],
    ..LITTLE_64
};
const RISCV32: Isa = Isa {
    arch: "riscv32",
    families: &["eight_registers", "leaves", "relative", "thread_words"],
    doubles: &["riscv32gc-"],
    singles: &["riscv32imafc-"],
    ..LITTLE_32
};
const LOONGARCH64: Isa = Isa {
    arch: "loongarch64",
    families: &[
        "chain_is_an_argument",
        "eight_registers",
        "leaves",
        "memref_closures",
        "relative",
        "thread_words",
    ],
    doubles: &["loongarch64-unknown-linux-"],
    ..LITTLE_64
};
const MIPS64: Isa = Isa {
    arch: "mips64",
    families: &["chain_is_an_argument", "doublewords", "relative", "thread_words", "unstable_asm"],
    ..LITTLE_64
};
const POWERPC64: Isa = Isa {
    arch: "powerpc64",
    families: &["doublewords", "memref_closures", "relative", "thread_words"],
    ..LITTLE_64
};
const POWERPC: Isa =
    Isa { arch: "powerpc", bits: 32, families: &["eight_registers", "relative", "thread_words"], ..BIG_64 };
/// A32 code.
const ARM: Isa = Isa { arch: "arm", families: &["relative", "thread_words"], ..LITTLE_32 };
const THUMB2: Isa = Isa { families: &["inserts", "thread_words"], ..ARM };
/// Armv6-M and Armv8-M baseline.
const THUMB1: Isa = Isa { families: &["inserts", "thread_words", "thumb1"], ..ARM };
const S390X: Isa = Isa {
    arch: "s390x",
    families: &["chain_is_an_argument", "memref_closures", "relative", "thread_words"],
    ..BIG_64
};
const SPARC64: Isa = Isa {
    arch: "sparc64",
    families: &["chain_is_an_argument", "relative", "thread_words", "unstable_asm"],
    ..BIG_64
};

/// All targets with stubs. `docs/targets.md` lists their names.
#[rustfmt::skip]
pub const TARGETS: &[Row] = &[
    Row { isa: X86_64, os: "linux", env: LINUX, names: &[], assembly: "x86_64.S", slots: HOSTED },
    Row { isa: X86_64, os: "none", env: NONE, names: &[], assembly: "x86_64.S", slots: BARE_64 },
    Row { isa: X86_64, os: "macos", env: NONE, names: &["x86_64-"], assembly: "macho/x86_64.S", slots: HOSTED },
    Row { isa: X86_64_WINDOWS, os: "windows", env: WINDOWS, names: &["x86_64-pc-windows-"], assembly: "windows/x86_64.S", slots: HOSTED },
    Row { isa: X86, os: "linux", env: GNU, names: &["i686-"], assembly: "x86.S", slots: HOSTED },
    Row { isa: AARCH64, os: "linux", env: LINUX, names: &[], assembly: "aarch64.S", slots: HOSTED },
    Row { isa: AARCH64, os: "none", env: NONE, names: &[], assembly: "aarch64.S", slots: BARE_64 },
    // This excludes arm64e, where code signs its pointers.
    Row { isa: AARCH64, os: "macos", env: NONE, names: &["aarch64-"], assembly: "macho/aarch64.S", slots: MACHO_AARCH64 },
    Row { isa: RISCV64, os: "linux", env: LINUX, names: &[], assembly: "riscv.S", slots: HOSTED },
    Row { isa: RISCV64, os: "none", env: NONE, names: &[], assembly: "riscv.S", slots: BARE_64 },
    Row { isa: RISCV32, os: "none", env: NONE, names: &[], assembly: "riscv.S", slots: BARE_32 },
    Row { isa: LOONGARCH64, os: "linux", env: LINUX, names: &[], assembly: "loongarch64.S", slots: HOSTED },
    Row { isa: MIPS64, os: "linux", env: GNU, names: &[], assembly: "mips64el.S", slots: HOSTED },
    // Only this C library has the `long double` type that raw closures assume.
    Row { isa: POWERPC64, os: "linux", env: GNU, names: &[], assembly: "powerpc64le.S", slots: HOSTED },
    // The reason is the same as for powerpc64. This also excludes `gnuspe`, which has another calling convention.
    Row { isa: POWERPC, os: "linux", env: GNU, names: &[], assembly: "powerpc.S", slots: HOSTED },
    // On Armv4T, `ldm` into pc does not switch to Thumb.
    Row { isa: ARM, os: "linux", env: LINUX, names: &["armv7-", "arm-", "armv5te-"], assembly: "arm.S", slots: HOSTED },
    Row { isa: THUMB2, os: "none", env: NONE, names: &["thumbv7m-", "thumbv7em-", "thumbv8m.main-"], assembly: "thumb2.S", slots: BARE_32 },
    Row { isa: THUMB1, os: "none", env: NONE, names: &["thumbv6m-", "thumbv8m.base-"], assembly: "thumb1.S", slots: BARE_32 },
    Row { isa: S390X, os: "linux", env: GNU, names: &[], assembly: "s390x.S", slots: HOSTED },
    Row { isa: SPARC64, os: "linux", env: GNU, names: &[], assembly: "sparc64.S", slots: HOSTED },
];
