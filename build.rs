//! Reads the build-time choices, selects the target's assembly files, and lets a C compiler or rustc assemble them.

use statictramp_targets::{MOST_SLOTS, Row, Target};
use std::process::{Command, Stdio, exit};
use std::{env, fmt::Display, fs, path::PathBuf, str::FromStr};

fn main() {
    println!("cargo:rerun-if-changed=asm");
    let mut target = Target::from_env();
    let assembler = assembler();
    if target.os == "macos" && target.has_stubs() && assembler.is_empty() {
        replace_rejected_stubs(&mut target);
    }
    if target.row.is_some() && target.is_portable && target.os == "none" {
        fail("STATICTRAMP_ASM is \"none\", but must be cc or rust on a target without an operating system");
    }

    let default = requested_slots(&target).to_string();
    let slots: usize =
        choice("STATICTRAMP_SLOTS", &default, &format!("a whole number from 1 to {MOST_SLOTS}"));
    reject_too_many(&target, slots);
    let strict = one_of("STATICTRAMP_REUSE", &["same-callee", "strict"]) == "strict";
    let has_pads = target.has_stubs() && target.is("pads");
    let landing_pads = one_of("STATICTRAMP_LANDING_PADS", &["1", "0"]) == "1" && has_pads;
    let signed = signs(&target);
    let cc = c_compiler(&target, &assembler);
    let stride = slot_stride(&target);

    println!("cargo:rustc-env=STATICTRAMP_SLOTS={slots}");
    println!("cargo:rustc-env=STATICTRAMP_SLOT_STRIDE={stride}");
    println!("cargo:rustc-env=STATICTRAMP_TARGET={}", target.name);
    let grows_here = ["linux", "macos", "windows"].contains(&&*target.os) && !target.is_portable;
    let names = ["linux", "windows"].contains(&&*target.os) || target.is_portable;
    target.set_cfgs();
    for (name, on) in [
        ("strict_reuse", strict),
        ("landing_pads", landing_pads),
        ("signed", signed),
        ("rust_asm", cc.is_none()),
        ("growing", target.is_loom || has_feature("GROW") && grows_here),
        ("named", names && has_feature("STD") && !target.is_loom),
    ] {
        if on {
            println!("cargo:rustc-cfg={name}");
        }
    }
    if target.is_loom {
        return; // under loom, the table consists of loom's own types, without code
    }
    write_macros(&target, slots);
    let Some(row) = target.row.filter(|_| target.has_stubs()) else { return };

    let is_board = target.os == "none";
    let list_for_cfg =
        target.os == "windows" && cc.as_ref().is_none_or(|cc| is_llvm_assembler(&cc.get_compiler()));
    let source = write_table(
        &target,
        row,
        &[
            ("SLOTS", slots),
            ("SLOT_STRIDE", stride),
            ("SLOTS_ROOM", (slots * stride).next_power_of_two().max(32)),
            ("LANDING_PADS", landing_pads.into()),
            ("SIGN", signed.into()),
            ("WORD", target.bits as usize / 8),
            ("BARE", is_board.into()),
            // The bytes of padding before the first stub, so that code compiled with clang's -fsanitize=function can read
            // the 8 bytes before any function that it calls. A padding of 64 bytes keeps the stubs aligned. Boards need
            // no padding, because the whole flash is readable.
            ("LEAD", if is_board { 0 } else { 64 }),
            ("EXTRAS", is_c_library().into()),
            // Whether to emit the list for Control Flow Guard. Only LLVM's assembler can emit this list.
            ("LISTED", list_for_cfg.into()),
        ],
    );
    ship_linker_scripts(&target);
    if let Some(mut assembler) = cc {
        if is_board && target.arch == "riscv64" && target.float_bytes() == 8 {
            assembler.flag("-mabi=lp64d"); // this is rustc's ABI; on bare metal, the `cc` crate would select the soft-float ABI
        }
        assembler.file(&source).compile(&format!("{}table", symbol_prefix(is_c_library())));
    }
}

/// Writes the assembly file of the stubs and slots, with these definitions.
fn write_table(target: &Target, row: &Row, settings: &[(&str, usize)]) -> PathBuf {
    let reserved = (target.os == "android").then_some(("RESERVED_X18", 1)); // only aarch64.S reads it
    let settings: String = settings
        .iter()
        .chain(&reserved)
        .map(|(name, value)| format!("        .set    {name}, {value}\n"))
        .collect();
    let table = match target.os.as_str() {
        "windows" => "windows/table.S",
        "macos" => "macho/table.S",
        _ => "table.S",
    };
    let text = format!("{settings}\n{}\n{}", read("asm", row.assembly), read("asm", table))
        .replace("statictramp_VERSION_", &symbol_prefix(is_c_library()))
        .replace("statictramp_OTHER_", &symbol_prefix(!is_c_library()));
    write("table.S", &text)
}

/// Lets compiler-generated functions replace the stubs if the linker can link a library without stubs, but not the same
/// library with stubs. Linkers for macOS differ in the relocations that they support.
fn replace_rejected_stubs(target: &mut Target) {
    let Some(row) = target.row else { return };
    let settings = [("SLOTS", 64), ("SLOT_STRIDE", 32), ("LANDING_PADS", 1), ("LEAD", 64)];
    let table = write_table(target, row, &settings);
    let library = write(
        "library.rs",
        &format!(
            "#![no_std]\n#[cfg(stubs)] core::arch::global_asm!(include_str!({table:?}), options({}raw));\n\
             #[cfg(stubs)] unsafe extern \"C\" {{ #[link_name = \"{1}stubs\"] static STUBS: u8; #[link_name = \"{1}slots\"] static SLOTS: u8; }}\n\
             #[cfg(stubs)] #[unsafe(no_mangle)] extern \"C\" fn table() -> [*const u8; 2] {{ [&raw const STUBS, &raw const SLOTS] }}\n\
             #[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! {{ loop {{}} }}\n",
            if target.arch == "x86_64" { "att_syntax, " } else { "" },
            symbol_prefix(is_c_library()),
        ),
    );
    // The variable with which a linker is chosen; cargo passes the choice as RUSTC_LINKER.
    let name = target.name.to_uppercase().replace(['-', '.'], "_");
    println!("cargo:rerun-if-env-changed=CARGO_TARGET_{name}_LINKER");
    let is_linked = |flags: &[&str]| {
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap());
        let path = library.with_extension("dylib");
        let _ = fs::remove_file(&path);
        rustc.args(["--edition=2024", "--crate-type=cdylib", "-Cpanic=abort", "--cap-lints=allow"]);
        rustc.arg("--target").arg(&target.name).args(flags).arg(&library).arg("-o").arg(path);
        if let Some(linker) = env::var_os("RUSTC_LINKER") {
            rustc.arg("-Clinker=".to_owned() + &linker.to_string_lossy());
        }
        let encoded = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
        rustc.args(encoded.split('\x1f').filter(|flag| !flag.is_empty()));
        rustc.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    // If no library can be linked, the linker or the system's libraries are missing, as in a cross build of libraries.
    if !is_linked(&["--cfg=stubs"]) && is_linked(&[]) {
        println!(
            "cargo::warning=the linker for {} cannot place the stubs, so compiler-generated functions replace them; \
             STATICTRAMP_ASM=rust uses the stubs nevertheless",
            target.name
        );
        target.is_portable = true;
        target.is_rejected_by_linker = true;
    }
}

/// Returns whether the code pointers in slots are signed. By default, they are signed if the `hardened` feature is
/// enabled and the target supports signing.
fn signs(target: &Target) -> bool {
    let supported = target.has_stubs() && (&*target.arch, &*target.os) == ("aarch64", "linux");
    let values = if supported && has_feature("HARDENED") { ["1", "0"] } else { ["0", "1"] };
    let signed = one_of("STATICTRAMP_SIGN", &values) == "1";
    if signed && !supported {
        fail(format!(
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
/// which functions replace the stubs. The other rejects targets without stubs, for crates that need them.
fn write_macros(target: &Target, slots: usize) {
    let numbers: String = (0..slots).map(|slot| format!("<Self as Numbered<{slot}>>::FUNCTION, ")).collect();
    let error = target.missing_stubs().map_or_else(String::new, |why| {
        format!("compile_error!(concat!($name, \" needs stubs, and {why}\"));")
    });
    write("slots.rs", &format!("macro_rules! in_every_slot {{ () => {{ [{numbers}] }}; }}\n"));
    write(
        "needs_stubs.rs",
        &format!(
            "#[doc(hidden)]\n#[macro_export]\nmacro_rules! __needs_stubs {{ ($name:literal) => {{ {error} }}; }}\n"
        ),
    );
}

/// Returns the C compiler if it is to assemble the stubs, or `None` if rustc is to assemble them. The C compiler
/// assembles the stubs if it was chosen, or if no assembler was chosen and a C compiler is available.
fn c_compiler(target: &Target, chosen: &str) -> Option<cc::Build> {
    if !target.has_stubs() || chosen == "rust" {
        return None;
    }
    if target.env == "msvc" {
        if chosen == "cc" {
            fail(format!(
                "STATICTRAMP_ASM is \"cc\", but Microsoft's compiler cannot assemble the stubs for {}: choose rust",
                target.name
            ));
        }
        return None;
    }
    let mut build = cc::Build::new();
    build.cargo_warnings(false); // a missing C compiler is not worth a warning
    let name = match (build.try_get_compiler(), build.try_get_archiver()) {
        // GNU `as` does not support Mach-O on any system.
        (Ok(tool), Ok(archiver)) if target.os != "macos" || tool.is_like_clang() => {
            let missing = [tool.to_command(), archiver].into_iter().find_map(|command| {
                let name = command.get_program().to_string_lossy().into_owned();
                let mut command = Command::new(command.get_program());
                command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                command.status().is_err().then_some(name)
            });
            match missing {
                // GNU `as` cannot emit the list for Control Flow Guard, but rustc can.
                None if target.os == "windows" && !is_llvm_assembler(&tool) && chosen.is_empty() => {
                    return None;
                }
                None => return Some(cc::Build::new()),
                Some(name) => name,
            }
        }
        _ => "cc".into(),
    };
    if chosen == "cc" {
        fail(format!(
            "STATICTRAMP_ASM is \"cc\", but there is no {name} for {}: install a C compiler, name one in CC, or choose rust",
            target.name
        ));
    }
    None
}

/// Returns the distance in bytes from one slot to the next, which is the size of the slots in
/// `src/pool/hosted/slot.rs` and `src/pool/bare.rs`.
fn slot_stride(target: &Target) -> usize {
    let word = target.bits as usize / 8;
    if target.is_compact() { 2 * word } else { 3 * word + 8 }
}

/// Returns the assembler that was chosen for the stubs, or an empty string if none was chosen.
fn assembler() -> String {
    match env::var_os("STATICTRAMP_ASM") {
        None => String::new(),
        Some(_) => one_of("STATICTRAMP_ASM", &["cc", "rust", "none"]),
    }
}

/// Returns the number of slots if `STATICTRAMP_SLOTS` is not set: the largest number that a feature `slots-N` requests,
/// but not less than the target's default, and not more than its maximum. Cargo unifies the features of all crates that
/// depend on this one, so a library must build wherever its user's program does.
fn requested_slots(target: &Target) -> usize {
    let requested = env::vars_os()
        .filter_map(|(name, _)| name.to_str()?.strip_prefix("CARGO_FEATURE_SLOTS_")?.parse::<usize>().ok());
    requested.max().unwrap_or(0).max(target.slots().default).min(target.slots().most)
}

/// Rejects a number of slots that is too large for the target.
fn reject_too_many(target: &Target, slots: usize) {
    let most = target.slots().most;
    if !(1..=MOST_SLOTS).contains(&slots) {
        fail(format!("STATICTRAMP_SLOTS is {slots}, but must be a whole number from 1 to {MOST_SLOTS}"));
    }
    if target.is_loom || slots <= most {
        return;
    }
    let limit = if target.is_portable {
        "on a target without stubs, where each slot needs a function for each signature, the maximum is"
            .into()
    } else if target.os == "none" {
        format!("the maximum on a {}-bit processor without an operating system is", target.bits)
    } else {
        "the maximum on macOS on AArch64 is".into()
    };
    fail(format!("STATICTRAMP_SLOTS is {slots}, but {limit} {most}"));
}

/// Writes linker scripts to a directory that the linker searches. On bare metal, one of them is `tramp.x`, for `INCLUDE
/// tramp.x` in memory.x. On other targets, the script is `statictramp.ld`, for `-Wl,-T,statictramp.ld`.
fn ship_linker_scripts(target: &Target) {
    println!("cargo:rerun-if-changed=linker");
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
        // critical-section refers to the program's own critical sections, and the link must fail if there are none.
        let text: String = read("linker", source)
            .replace("statictramp_0_1_", &symbol_prefix(false))
            .replace("statictramp_c_0_1_", &symbol_prefix(true))
            .replace("statictramp_VERSION_", &symbol_prefix(is_c_library()))
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("PROVIDE(_critical_section_"))
            .collect();
        write(script, &text);
    }
    println!("cargo:rustc-link-search={}", env::var("OUT_DIR").unwrap());
}

/// Returns the prefix of the library's symbols. One program may contain two versions of the crate and a C library, so
/// their symbols differ. Otherwise the linker would bind the pools of two copies to one table. Cargo links at most one
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
    has_feature("__SLOT_EXTRA")
}

fn has_feature(name: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

/// Reads a file from a directory that is next to this file.
fn read(directory: &str, file: &str) -> String {
    let path = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap()).join(directory).join(file);
    fs::read_to_string(&path).unwrap_or_else(|e| fail(format!("cannot read {}: {e}", path.display())))
}

/// Writes a file to the directory of the build script's output.
fn write(file: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env::var_os("OUT_DIR").unwrap()).join(file);
    fs::write(&path, text).unwrap_or_else(|e| fail(format!("cannot write {}: {e}", path.display())));
    path
}

/// Returns the value of a build-time choice, or its default.
fn choice<T: FromStr>(name: &str, default: &str, wanted: &str) -> T {
    println!("cargo:rerun-if-env-changed={name}");
    // Text that is not UTF-8 is rejected as an invalid value.
    let value = env::var_os(name).map_or(default.into(), |value| value.to_string_lossy().into_owned());
    value.trim().parse().unwrap_or_else(|_| fail(format!("{name} is \"{value}\", but must be {wanted}")))
}

/// Returns the value of a build-time choice that has only a few values. The first value is the default.
fn one_of(name: &str, values: &[&str]) -> String {
    let value: String = choice(name, values[0], "");
    if !values.contains(&value.as_str()) {
        fail(format!("{name} is \"{value}\", but must be {}", values.join(" or ")));
    }
    value
}

fn fail(why: impl Display) -> ! {
    println!("cargo::error={why}");
    exit(1)
}
