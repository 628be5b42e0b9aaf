//! Reads the build-time choices, selects the target's assembly files, and lets a C compiler or rustc assemble them.

use std::process::{Command, Stdio, exit};
use std::{env, fmt::Display, fs, path::PathBuf, str::FromStr};

/// A target for which the library has stubs, and the file that contains them. On every other target, compiler-generated
/// functions replace the stubs. A new target needs a row here, a file in `asm/`, a directory in `src/arch/`, and its
/// name in `docs/targets.md`; CONTRIBUTING.md lists the steps.
struct Row {
    arch: &'static str,
    os: &'static str,
    /// The supported C libraries (`target_env`). On Linux the core calls libc.
    env: &'static [&'static str],
    pointer_bits: u32,
    /// The accepted prefixes of the target's name. They are needed if nothing else shows which instructions are
    /// available. They also apply to custom targets, which are described by a file. If the list is empty, any name is
    /// accepted.
    names: &'static [&'static str],
    /// The file in `asm/` that contains the stubs.
    stubs: &'static str,
}

impl Row {
    /// Returns the byte order.
    fn endian(&self) -> &'static str {
        if ["powerpc", "s390x", "sparc64"].contains(&self.arch) { "big" } else { "little" }
    }
}

const LINUX: &[&str] = &["gnu", "musl"];
const NONE: &[&str] = &[""];
const WINDOWS: &[&str] = &["gnu", "msvc"];

#[rustfmt::skip]
const TARGETS: &[Row] = &[
    Row { arch: "x86_64", os: "linux", env: LINUX, pointer_bits: 64, names: &[], stubs: "x86_64.S" },
    Row { arch: "x86_64", os: "none", env: NONE, pointer_bits: 64, names: &[], stubs: "x86_64.S" },
    Row { arch: "aarch64", os: "linux", env: LINUX, pointer_bits: 64, names: &[], stubs: "aarch64.S" },
    Row { arch: "aarch64", os: "none", env: NONE, pointer_bits: 64, names: &[], stubs: "aarch64.S" },
    // This excludes arm64e, where code signs its pointers.
    Row { arch: "aarch64", os: "macos", env: NONE, pointer_bits: 64, names: &["aarch64-"], stubs: "macho/aarch64.S" },
    Row { arch: "x86_64", os: "macos", env: NONE, pointer_bits: 64, names: &["x86_64-"], stubs: "macho/x86_64.S" },
    Row { arch: "riscv64", os: "linux", env: LINUX, pointer_bits: 64, names: &[], stubs: "riscv.S" },
    Row { arch: "riscv64", os: "none", env: NONE, pointer_bits: 64, names: &[], stubs: "riscv.S" },
    Row { arch: "riscv32", os: "none", env: NONE, pointer_bits: 32, names: &[], stubs: "riscv.S" },
    Row { arch: "loongarch64", os: "linux", env: LINUX, pointer_bits: 64, names: &[], stubs: "loongarch64.S" },
    Row { arch: "mips64", os: "linux", env: &["gnu"], pointer_bits: 64, names: &[], stubs: "mips64el.S" },
    // Only this C library has the `long double` type that `raw/` assumes.
    Row { arch: "powerpc64", os: "linux", env: &["gnu"], pointer_bits: 64, names: &[], stubs: "powerpc64le.S" },
    // The reason is the same as for powerpc64. This also excludes `gnuspe`, which has another calling convention.
    Row { arch: "powerpc", os: "linux", env: &["gnu"], pointer_bits: 32, names: &[], stubs: "powerpc.S" },
    Row { arch: "x86_64", os: "windows", env: WINDOWS, pointer_bits: 64, names: &["x86_64-pc-windows-"], stubs: "windows/x86_64.S" },
    // These stubs are A32 code. On Armv4T, `ldm` into pc does not switch to Thumb.
    Row { arch: "arm", os: "linux", env: LINUX, pointer_bits: 32, names: &["armv7-", "arm-", "armv5te-"], stubs: "arm.S" },
    Row { arch: "arm", os: "none", env: NONE, pointer_bits: 32, names: &["thumbv7m-", "thumbv7em-", "thumbv8m.main-"], stubs: "thumb2.S" },
    Row { arch: "arm", os: "none", env: NONE, pointer_bits: 32, names: THUMB1, stubs: "thumb1.S" },
    Row { arch: "x86", os: "linux", env: &["gnu"], pointer_bits: 32, names: &["i686-"], stubs: "x86.S" },
    Row { arch: "s390x", os: "linux", env: &["gnu"], pointer_bits: 64, names: &[], stubs: "s390x.S" },
    Row { arch: "sparc64", os: "linux", env: &["gnu"], pointer_bits: 64, names: &[], stubs: "sparc64.S" },
];

/// The processors with stubs whose inline assembly is stable in Rust. On the other processors, the crate needs a
/// nightly compiler.
const STABLE_ASM: &[&str] = &[
    "x86",
    "x86_64",
    "arm",
    "aarch64",
    "riscv32",
    "riscv64",
    "loongarch64",
    "powerpc",
    "powerpc64",
    "s390x",
];

/// The limit of a relocation's addend on AArch64 macOS, which is a signed 24-bit number.
const MOST_ADDEND: usize = 1 << 23;

/// Prefixes of the names of targets without Thumb-2 instructions: Armv6-M and Armv8-M baseline.
const THUMB1: &[&str] = &["thumbv6m-", "thumbv8m.base-"];

/// The maximum number of slots. A larger index would not fit into a death record (`src/pool/hosted/slot.rs`).
const MOST_SLOTS: usize = 1 << 20;

/// The maximum number of slots on targets where each slot needs one function for each signature.
const MOST_FUNCTIONS: usize = 4096;

fn main() {
    println!("cargo:rerun-if-changed=asm");
    let target = Target::from_env();

    let default = match target.os.as_str() {
        "none" => "16",
        _ if target.is_portable => "64",
        _ => "1024",
    };
    let slots: usize =
        choice("STATICTRAMP_SLOTS", default, &format!("a whole number from 1 to {MOST_SLOTS}"));
    if !(1..=MOST_SLOTS).contains(&slots) {
        refuse(format!("STATICTRAMP_SLOTS is {slots}, but must be a whole number from 1 to {MOST_SLOTS}"));
    }
    refuse_what_is_too_many(&target, slots);
    let strict = one_of("STATICTRAMP_REUSE", &["same-callee", "strict"]) == "strict";
    let landing_pads = one_of("STATICTRAMP_LANDING_PADS", &["1", "0"]) == "1" && target.has_landing_pads();
    let signed = signs(&target);
    let cc = target.c_compiler();

    println!("cargo:rustc-env=STATICTRAMP_SLOTS={slots}");
    println!("cargo:rustc-env=STATICTRAMP_SLOT_STRIDE={}", target.slot_stride());
    println!("cargo:rustc-env=STATICTRAMP_TARGET={}", target.name);
    let grows_here =
        (["linux", "macos"].contains(&target.os.as_str()) || target.is_windows()) && !target.is_portable;
    let growing = target.is_loom || (env::var_os("CARGO_FEATURE_GROW").is_some() && grows_here);
    let named = (target.os == "linux" || target.is_windows() || target.is_portable)
        && env::var_os("CARGO_FEATURE_STD").is_some();
    let of_target = target.cfgs();
    for (name, on) in of_target.into_iter().chain([
        ("strict_reuse", strict),
        ("landing_pads", landing_pads),
        ("signed", signed),
        ("rust_asm", cc.is_none()),
        ("growing", growing),
        ("named", named && !target.is_loom),
        // A free that bypasses the hook of the `trace` feature.
        (
            "fast_free",
            !target.is_compact() && (target.is_loom || env::var_os("CARGO_FEATURE_TRACE").is_none()),
        ),
    ]) {
        if on {
            println!("cargo:rustc-cfg={name}");
        }
    }
    if target.is_loom {
        return; // under loom, the table consists of loom's own types, without code
    }
    write_macros(&target, slots);
    if target.is_portable {
        return;
    }

    // The bytes of padding before the first stub, so that code compiled with clang's -fsanitize=function can read the 8
    // bytes before any function that it calls. 64 bytes keep the stubs aligned. Boards need no padding, because the whole
    // flash is readable.
    let lead = if target.os == "none" { 0 } else { 64 };
    // Whether to make the list for Control Flow Guard. Only LLVM's assembler can make this list.
    let listed = target.is_windows() && cc.as_ref().is_none_or(|cc| is_llvm_assembler(&cc.get_compiler()));
    let text = format!(
        "        .set    SLOTS, {slots}\n        .set    SLOT_STRIDE, {}\n        .set    SLOTS_ROOM, {}\n        .set    LANDING_PADS, {}\n        .set    SIGN, {}\n        .set    WORD, {}\n        \
         .set    BARE, {}\n        .set    LEAD, {}\n        .set    EXTRAS, {}\n        .set    LISTED, {}\n\n{}\n{}",
        target.slot_stride(),
        (slots * target.slot_stride() as usize).next_power_of_two().max(32),
        landing_pads as u8,
        signed as u8,
        target.pointer_bits / 8,
        (target.os == "none") as u8,
        lead,
        is_c_library() as u8,
        listed as u8,
        read("asm", target.stubs().unwrap_or_default()),
        read(
            "asm",
            match target.os.as_str() {
                "windows" => "windows/table.S",
                "macos" => "macho/table.S",
                _ => "table.S",
            }
        ),
    )
    .replace("statictramp_VERSION_", &symbol_prefix(is_c_library()))
    .replace("statictramp_OTHER_", &symbol_prefix(!is_c_library()));
    let source = PathBuf::from(env::var_os("OUT_DIR").unwrap()).join("table.S");
    fs::write(&source, text).unwrap_or_else(|e| refuse(format!("cannot write {}: {e}", source.display())));
    ship_linker_scripts(&target);
    if let Some(mut assembler) = cc {
        if target.os == "none" && target.arch == "riscv64" && target.float_bytes() == 8 {
            assembler.flag("-mabi=lp64d"); // this is rustc's ABI; on bare metal, the `cc` crate would select the soft-float ABI
        }
        assembler.file(&source).compile(&format!("{}table", symbol_prefix(is_c_library())));
    }
}

/// Returns whether the code pointers in slots are signed. By default they are if the `hardened` feature is enabled and
/// the target supports it.
fn signs(target: &Target) -> bool {
    let supported = target.has_stubs() && (&*target.arch, &*target.os) == ("aarch64", "linux");
    let values =
        if supported && env::var_os("CARGO_FEATURE_HARDENED").is_some() { ["1", "0"] } else { ["0", "1"] };
    let signed = one_of("STATICTRAMP_SIGN", &values) == "1";
    if signed && !supported {
        refuse(format!(
            "STATICTRAMP_SIGN is \"1\", but must be 0 for {}{}: only the stubs for AArch64 Linux can have signed slots",
            target.name,
            if target.is_portable { " without stubs" } else { "" }
        ));
    }
    signed
}

/// Returns whether a C compiler uses LLVM's assembler. clang uses it unless its flags select another assembler.
fn is_llvm_assembler(tool: &cc::Tool) -> bool {
    tool.is_like_clang() && !tool.args().iter().any(|flag| flag == "-fno-integrated-as")
}

/// Writes the macros that depend on the target. One makes an array with one function for each slot, for targets on
/// which functions replace the stubs. The other rejects targets without stubs, for libstatictramp.
fn write_macros(target: &Target, slots: usize) {
    let numbers: String = (0..slots).map(|slot| format!("<Self as Numbered<{slot}>>::FUNCTION, ")).collect();
    let refusal = match target.os.as_str() {
        "macos" if target.stubs().is_some() && target.is_portable => format!(
            "compile_error!(\"libstatictramp needs stubs, and the target {} has stubs only if STATICTRAMP_ASM is \
             rust or cc\");",
            target.name
        ),
        _ if target.is_portable => format!(
            "compile_error!(\"libstatictramp needs stubs, and this build for the target {} has none; \
             docs/targets.md lists the targets with stubs\");",
            target.name
        ),
        _ => String::new(),
    };
    for (file, text) in [
        ("slots.rs", format!("macro_rules! in_every_slot {{ () => {{ [{numbers}] }}; }}\n")),
        (
            "needs_stubs.rs",
            format!(
                "#[doc(hidden)]\n#[macro_export]\nmacro_rules! __needs_stubs {{ () => {{ {refusal} }}; }}\n"
            ),
        ),
    ] {
        let place = PathBuf::from(env::var_os("OUT_DIR").unwrap()).join(file);
        fs::write(&place, text).unwrap_or_else(|e| refuse(format!("cannot write {}: {e}", place.display())));
    }
}

pub(crate) struct Target {
    name: String,
    arch: String,
    os: String,
    env: String,
    abi: String,
    endian: String,
    pointer_bits: u32,
    is_thumb1: bool,
    is_loom: bool,
    /// Whether the target has no stubs, or the build was configured without stubs. In that case compiler-generated
    /// functions replace the stubs.
    is_portable: bool,
}

impl Target {
    /// Returns the cfgs that depend only on the target, and whether each of them is set.
    pub(crate) fn cfgs(&self) -> [(&'static str, bool); 8] {
        let has_stubs = self.has_stubs();
        [
            ("thumb1", self.is_thumb1),
            ("compact", self.is_compact()),
            ("portable", self.is_portable),
            ("stubs", has_stubs),
            ("linux_stubs", has_stubs && self.os == "linux"),
            ("unstable_asm", has_stubs && !STABLE_ASM.contains(&self.arch.as_str())),
            ("doubles", self.float_bytes() == 8),
            ("singles", self.float_bytes() == 4),
        ]
    }

    pub(crate) fn from_env() -> Self {
        let get = |name: &str| env::var(name).unwrap_or_default();
        let mut target = Self {
            name: get("TARGET"),
            arch: get("CARGO_CFG_TARGET_ARCH"),
            os: get("CARGO_CFG_TARGET_OS"),
            env: get("CARGO_CFG_TARGET_ENV"),
            abi: get("CARGO_CFG_TARGET_ABI"),
            endian: get("CARGO_CFG_TARGET_ENDIAN"),
            pointer_bits: get("CARGO_CFG_TARGET_POINTER_WIDTH").parse().unwrap_or(64),
            is_thumb1: THUMB1.iter().any(|start| get("TARGET").starts_with(start)),
            is_loom: env::var_os("CARGO_CFG_LOOM").is_some(),
            is_portable: false,
        };
        let chosen = assembler();
        // The macOS stubs have never been run on a Mac, so they are used only if a build requests them.
        let unasked = target.os == "macos" && chosen.is_empty();
        target.is_portable = !target.is_loom && (target.stubs().is_none() || chosen == "none" || unasked);
        if target.is_portable && target.stubs().is_some() && target.os == "none" {
            refuse(
                "STATICTRAMP_ASM is \"none\", but must be cc or rust on a target without an operating system",
            );
        }
        target
    }

    /// Returns the C compiler if it is to assemble the stubs, or `None` if rustc is to assemble them. The C compiler
    /// does so if it was chosen, or if no assembler was chosen and a C compiler is available.
    fn c_compiler(&self) -> Option<cc::Build> {
        let chosen = assembler();
        if self.is_loom || self.is_portable || chosen == "rust" {
            return None;
        }
        if self.env == "msvc" {
            if chosen == "cc" {
                refuse(format!(
                    "STATICTRAMP_ASM is \"cc\", but Microsoft's compiler cannot assemble the stubs for {}: choose rust",
                    self.name
                ));
            }
            return None;
        }
        let mut build = cc::Build::new();
        build.cargo_warnings(false); // a missing C compiler is no reason for a warning
        let name = match (build.try_get_compiler(), build.try_get_archiver()) {
            // GNU's assembler does not support Mach-O on any system.
            (Ok(tool), Ok(archiver)) if self.os != "macos" || tool.is_like_clang() => {
                let missing = [tool.to_command(), archiver].into_iter().find_map(|command| {
                    let name = command.get_program().to_string_lossy().into_owned();
                    let mut command = Command::new(command.get_program());
                    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                    command.status().is_err().then_some(name)
                });
                match missing {
                    // GNU's assembler cannot make the list for Control Flow Guard, but rustc can.
                    None if self.is_windows() && !is_llvm_assembler(&tool) && chosen.is_empty() => {
                        return None;
                    }
                    None => return Some(cc::Build::new()),
                    Some(name) => name,
                }
            }
            _ => "cc".into(),
        };
        if chosen == "cc" {
            refuse(format!(
                "STATICTRAMP_ASM is \"cc\", but there is no {name} for {}: install a C compiler, name one in CC, or choose rust",
                self.name
            ));
        }
        None
    }

    /// Returns whether the target uses the pool that takes little memory (`src/pool/bare.rs`).
    fn is_compact(&self) -> bool {
        (self.os == "none" || self.is_portable) && !self.is_loom
    }

    /// Whether the stubs have an instruction that serves as a landing pad.
    fn has_landing_pads(&self) -> bool {
        ["x86", "x86_64", "aarch64"].contains(&self.arch.as_str()) && !self.is_windows() && self.has_stubs()
    }

    /// Whether this build has stubs.
    fn has_stubs(&self) -> bool {
        !self.is_loom && !self.is_portable
    }

    fn is_windows(&self) -> bool {
        self.os == "windows"
    }

    /// Whether structs of one or two scalars are passed scalar by scalar (`raw/src/convention/leaves.rs`).
    fn passes_leaves(&self) -> bool {
        ["riscv32", "riscv64", "loongarch64"].contains(&self.arch.as_str())
    }

    /// Returns the size in bytes of the floating-point registers in which arguments are passed, or 0 if there are none.
    /// Stable compilers do not report these features, but they support only built-in targets, whose names imply the
    /// features.
    fn float_bytes(&self) -> u32 {
        let is_named = |starts: &[&str]| starts.iter().any(|start| self.name.starts_with(start));
        if !self.passes_leaves() {
            0
        } else if self.has("d")
            || is_named(&["riscv64gc-", "riscv64a23-", "riscv32gc-", "loongarch64-unknown-linux-"])
        {
            8
        } else if self.has("f") || is_named(&["riscv32imafc-"]) {
            4
        } else {
            0
        }
    }

    fn has(&self, feature: &str) -> bool {
        env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default().split(',').any(|known| known == feature)
    }

    /// Returns the distance in bytes from one slot to the next, which is the size of the slots in
    /// `src/pool/hosted/slot.rs` and `src/pool/bare.rs`.
    fn slot_stride(&self) -> u32 {
        let word = self.pointer_bits / 8;
        if self.is_compact() { 2 * word } else { 3 * word + 8 }
    }

    fn stubs(&self) -> Option<&'static str> {
        TARGETS.iter().find(|row| self.is_in(row)).map(|row| row.stubs)
    }

    fn is_in(&self, row: &Row) -> bool {
        (row.arch, row.os, row.pointer_bits) == (&self.arch, &self.os, self.pointer_bits)
            && row.env.contains(&self.env.as_str())
            && (row.names.is_empty() || row.names.iter().any(|start| self.name.starts_with(start)))
            && self.endian == row.endian()
            && !self.abi.ends_with("32e") // RISC-V with only 16 registers, because an adapter may need more
            && self.abi != "spe" // PowerPC with SPE, which passes floating-point numbers in other registers
    }
}

/// Returns the assembler that was chosen for the stubs, or an empty string if none was chosen.
fn assembler() -> String {
    match env::var_os("STATICTRAMP_ASM") {
        None => {
            println!("cargo:rerun-if-env-changed=STATICTRAMP_ASM");
            String::new()
        }
        Some(_) => one_of("STATICTRAMP_ASM", &["cc", "rust", "none"]),
    }
}

/// Rejects a number of slots that is too large. The number is limited because a dead slot's record contains the slot's
/// index in half a word (`src/pool/bare.rs`).
fn refuse_what_is_too_many(target: &Target, slots: usize) {
    let most = 1u64 << (target.pointer_bits / 2);
    if target.is_portable && slots > MOST_FUNCTIONS {
        refuse(format!(
            "STATICTRAMP_SLOTS is {slots}, but on a target without stubs, where each slot needs a function for each signature, \
             the maximum is {MOST_FUNCTIONS}"
        ));
    }
    if target.os == "macos"
        && target.arch == "aarch64"
        && !target.is_portable
        && slots > MOST_ADDEND / target.slot_stride() as usize
    {
        refuse(format!(
            "STATICTRAMP_SLOTS is {slots}, but the maximum on macOS on AArch64 is {}",
            MOST_ADDEND / target.slot_stride() as usize
        ));
    }
    if target.is_compact() && slots as u64 > most {
        refuse(format!(
            "STATICTRAMP_SLOTS is {slots}, but the maximum on a {}-bit processor without an operating system is {most}",
            target.pointer_bits
        ));
    }
}

/// Writes linker scripts to a directory that the linker searches. On bare metal, one of them is `tramp.x`, for `INCLUDE
/// tramp.x` in memory.x. On other targets, the script is `statictramp.ld`, for `-Wl,-T,statictramp.ld`.
fn ship_linker_scripts(target: &Target) {
    println!("cargo:rerun-if-changed=linker");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let scripts: &[(&str, &str)] = match target.os.as_str() {
        "windows" | "macos" => return, // the linkers of these systems do not support such scripts
        "none" => &[
            ("tramp.x", "tramp.x"),
            ("tramp_in_region.x", "tramp_in_region.x"),
            ("tramp_before_bss.x", "tramp_before_bss.x"),
            ("tramp_after_bss.x", "tramp_after_bss.x"),
            ("tramp_slots.x", "tramp_slots.x"),
        ],
        _ => &[("statictramp.ld.in", "statictramp.ld")],
    };
    for (source, script) in scripts {
        // The scripts for boards contain the symbols of one version, so that they can be used directly from the source
        // tree. The lines that provide libstatictramp's critical sections are left out: in a Rust program, the crate
        // critical-section refers to the program's own, and the link must fail if there are none.
        let text: String = read("linker", source)
            .replace("statictramp_0_1_", &symbol_prefix(false))
            .replace("statictramp_c_0_1_", &symbol_prefix(true))
            .replace("statictramp_VERSION_", &symbol_prefix(is_c_library()))
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("PROVIDE(_critical_section_"))
            .collect();
        fs::write(out.join(script), text).unwrap_or_else(|e| refuse(format!("cannot write {script}: {e}")));
    }
    println!("cargo:rustc-link-search={}", out.display());
}

/// Returns the prefix of the library's symbols. One program may contain two versions of the crate and a C library, so
/// their symbols differ. Otherwise the linker would bind the pools of two copies to one table. Cargo puts at most one
/// of the compatible versions of a crate into a program.
///
/// The prefix of the C library depends on a feature that only `capi/` enables, rather than on a variable or on renaming
/// after the build. Every build of the C library thus has the prefix: all archives, on all object formats, and their
/// debugging information. If cargo builds `capi/` together with other crates, they share one core with one prefix.
fn symbol_prefix(of_c_library: bool) -> String {
    let part = |name: &str| env::var(format!("CARGO_PKG_VERSION_{name}")).unwrap();
    format!("statictramp_{}{}_{}_", if of_c_library { "c_" } else { "" }, part("MAJOR"), part("MINOR"))
}

/// Returns whether this is the core of the C library.
fn is_c_library() -> bool {
    env::var_os("CARGO_FEATURE___SLOT_EXTRA").is_some()
}

/// Reads a file from a directory that is next to this file.
fn read(directory: &str, file: &str) -> String {
    let path = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap()).join(directory).join(file);
    fs::read_to_string(&path).unwrap_or_else(|e| refuse(format!("cannot read {}: {e}", path.display())))
}

/// Returns the value of a build-time choice, or its default.
fn choice<T: FromStr>(name: &str, default: &str, wanted: &str) -> T {
    println!("cargo:rerun-if-env-changed={name}");
    // Text that is not UTF-8 is rejected as an invalid value.
    let value = env::var_os(name).map_or(default.into(), |value| value.to_string_lossy().into_owned());
    value.trim().parse().unwrap_or_else(|_| refuse(format!("{name} is \"{value}\", but must be {wanted}")))
}

/// Returns the value of a build-time choice that has only a few values. The first value is the default.
fn one_of(name: &str, values: &[&str]) -> String {
    let value: String = choice(name, values[0], "");
    if !values.contains(&value.as_str()) {
        refuse(format!("{name} is \"{value}\", but must be {}", values.join(" or ")));
    }
    value
}

fn refuse(why: impl Display) -> ! {
    println!("cargo::error={why}");
    exit(1)
}
