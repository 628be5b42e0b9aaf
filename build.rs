//! Reads the build-time choices, picks the assembly of the target and has it assembled.

use std::{env, fmt::Display, fs, path::PathBuf, process::exit, str::FromStr};

/// Which stubs a target gets. A new target is a row here, a file in `asm/` and a
/// row in `src/arch.rs`.
///
/// (architecture, operating systems or "" for any) -> file
const STUBS: &[(&str, &[&str], &str)] = &[
    (
        "x86_64",
        &["linux", "android", "freebsd", "netbsd", "openbsd", "dragonfly", "illumos", "none"],
        "x86_64.S",
    ),
    ("aarch64", &["linux", "android", "none"], "aarch64.S"),
    ("riscv64", &["linux", "none"], "riscv.S"),
    ("riscv32", &["none"], "riscv.S"),
    ("arm", &["none"], "thumb2.S"), // or thumb1.S
    ("arm", &["linux"], "arm.S"),
];

/// More would not fit the index that a dead slot keeps of itself (`src/slot.rs`).
const MOST_SLOTS: usize = 1 << 20;

fn main() {
    println!("cargo:rerun-if-changed=asm");
    let target = Target::from_env();

    let slots: usize = choice("STATICTRAMP_SLOTS", "1024", &format!("a whole number from 1 to {MOST_SLOTS}"));
    if !(1..=MOST_SLOTS).contains(&slots) {
        refuse(format!("STATICTRAMP_SLOTS is {slots}, but must be a whole number from 1 to {MOST_SLOTS}"));
    }
    let strict = one_of("STATICTRAMP_REUSE", &["same-callee", "strict"]) == "strict";
    let landing_pads = one_of("STATICTRAMP_LANDING_PADS", &["1", "0"]) == "1";
    let rust_asm = one_of("STATICTRAMP_ASM", &["cc", "rust"]) == "rust";

    println!("cargo:rustc-env=STATICTRAMP_SLOTS={slots}");
    println!("cargo:rustc-env=STATICTRAMP_SLOT_STRIDE={}", target.slot_stride());
    let growing = target.is_loom || (env::var_os("CARGO_FEATURE_GROW").is_some() && target.os == "linux");
    for (name, on) in [
        ("strict_reuse", strict),
        ("landing_pads", landing_pads),
        ("rust_asm", rust_asm),
        ("growing", growing),
        ("thumb1", target.is_thumb1),
        ("compact", target.is_compact()),
        ("memref_closures", target.has_memref_closures()),
    ] {
        if on {
            println!("cargo:rustc-cfg={name}");
        }
    }
    if target.is_loom {
        return; // loom's table is made of loom's own types and runs no code
    }

    let text = format!(
        "        .set    SLOTS, {slots}\n        .set    SLOT_STRIDE, {}\n        .set    LANDING_PADS, {}\n        .set    WORD, {}\n        \
         .set    CHAIN_IN_X18, {}\n        .set    BARE, {}\n\n{}\n{}",
        target.slot_stride(),
        landing_pads as u8,
        target.pointer_bits / 8,
        (target.arch == "aarch64" && target.os != "android") as u8,
        (target.os == "none") as u8,
        read("asm", target.stubs()),
        read("asm", "table.S"),
    )
    .replace("statictramp_VERSION_", &symbol_prefix());
    let source = PathBuf::from(env::var_os("OUT_DIR").unwrap()).join("table.S");
    fs::write(&source, text).unwrap_or_else(|e| refuse(format!("cannot write {}: {e}", source.display())));
    ship_linker_scripts(&target);
    if !rust_asm {
        let mut assembler = cc::Build::new();
        if target.os == "none" && target.arch == "riscv64" && target.has("d") {
            assembler.flag("-mabi=lp64d"); // as rustc has it; cc takes the soft-float ABI where there is no system
        }
        assembler.file(&source).compile(&format!("{}table", symbol_prefix()));
    }
}

struct Target {
    arch: String,
    os: String,
    pointer_bits: u32,
    /// Thumb without the instructions of Thumb-2: Armv6-M, Armv8-M baseline.
    is_thumb1: bool,
    is_loom: bool,
}

impl Target {
    fn from_env() -> Self {
        let get = |name: &str| env::var(name).unwrap_or_default();
        Self {
            arch: get("CARGO_CFG_TARGET_ARCH"),
            os: get("CARGO_CFG_TARGET_OS"),
            pointer_bits: get("CARGO_CFG_TARGET_POINTER_WIDTH").parse().unwrap_or(64),
            is_thumb1: ["thumbv6m", "thumbv8m.base"].iter().any(|start| get("TARGET").starts_with(start)),
            is_loom: env::var_os("CARGO_CFG_LOOM").is_some(),
        }
    }

    /// Whether slots are of the kind that takes little memory (`src/compact.rs`).
    fn is_compact(&self) -> bool {
        self.os == "none" && !self.is_loom
    }

    fn has(&self, feature: &str) -> bool {
        env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default().split(',').any(|known| known == feature)
    }

    /// Whether there is a file in `src/interop/memref/bound/` for it.
    fn has_memref_closures(&self) -> bool {
        let known = match self.arch.as_str() {
            "x86_64" | "aarch64" => true,
            "riscv64" => self.has("d"),
            _ => false,
        };
        known && self.os == "linux" && !self.is_loom
    }

    /// Bytes from one slot to the next: what `src/slot.rs` and `src/compact.rs` have there.
    fn slot_stride(&self) -> u32 {
        let word = self.pointer_bits / 8;
        if self.is_compact() { 2 * word } else { 3 * word + 8 }
    }

    fn stubs(&self) -> &'static str {
        STUBS
            .iter()
            .find(|(arch, systems, _)| *arch == self.arch && systems.contains(&self.os.as_str()))
            .map(|(_, _, file)| if self.is_thumb1 { "thumb1.S" } else { file })
            .unwrap_or_else(|| {
                refuse(format!(
                    "there are no stubs for {} on {} yet; CONTRIBUTING.md says how to add a target",
                    self.arch, self.os
                ))
            })
    }
}

/// The linker finds these scripts by itself: on bare metal `tramp.x`, for `INCLUDE tramp.x` in memory.x; elsewhere
/// `statictramp.ld`, for `-Wl,-T,statictramp.ld`.
fn ship_linker_scripts(target: &Target) {
    println!("cargo:rerun-if-changed=linker");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let scripts: &[(&str, &str)] = match target.os.as_str() {
        "none" => &[("tramp.x", "tramp.x"), ("tramp_in_region.x", "tramp_in_region.x")],
        _ => &[("statictramp.ld.in", "statictramp.ld")],
    };
    for (source, script) in scripts {
        let text = read("linker", source)
            .replace("statictramp_0_1_", &symbol_prefix())
            .replace("statictramp_VERSION_", &symbol_prefix());
        fs::write(out.join(script), text).unwrap_or_else(|e| refuse(format!("cannot write {script}: {e}")));
    }
    println!("cargo:rustc-link-search={}", out.display());
}

/// Two versions of the crate may live in one program, so their symbols differ. Versions that
/// cargo takes for compatible are never in one program together.
fn symbol_prefix() -> String {
    let part = |name: &str| env::var(format!("CARGO_PKG_VERSION_{name}")).unwrap();
    format!("statictramp_{}_{}_", part("MAJOR"), part("MINOR"))
}

/// A file of a directory beside this one.
fn read(directory: &str, file: &str) -> String {
    let path = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap()).join(directory).join(file);
    fs::read_to_string(&path).unwrap_or_else(|e| refuse(format!("cannot read {}: {e}", path.display())))
}

/// The value of a build-time choice, or its default.
fn choice<T: FromStr>(name: &str, default: &str, wanted: &str) -> T {
    println!("cargo:rerun-if-env-changed={name}");
    let value = env::var(name).unwrap_or_else(|_| default.into());
    value.trim().parse().unwrap_or_else(|_| refuse(format!("{name} is \"{value}\", but must be {wanted}")))
}

/// The value of a build-time choice with few values, the first being the default.
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
