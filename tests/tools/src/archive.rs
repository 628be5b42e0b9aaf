//! Checks that an archive of the C library defines and imports only certain symbols, and does not change how a program uses
//! other libraries.

use crate::{Expect, command, line, printed, printed_by, read, root, write};
use std::collections::BTreeSet;

/// Returns the external symbols of an archive, by its index.
pub fn index(archive: &str, nm: &str) -> BTreeSet<String> {
    let lines = printed_by(line!("{nm} --print-armap").arg(archive));
    let names = lines.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words.get(1) == Some(&"in")).then(|| words[0].to_owned())
    });
    names.collect()
}

/// Returns the symbols that an archive imports: those that its members refer to and none of them defines.
fn imports(archive: &str, nm: &str) -> BTreeSet<String> {
    let lines = printed_by(line!("{nm} -u").arg(archive));
    let undefined = lines.lines().filter_map(|line| line.trim().strip_prefix("U ").map(str::to_owned));
    &undefined.collect() - &index(archive, nm)
}

fn version() -> String {
    let manifest = read("Cargo.toml");
    let version = manifest.split("\nversion = \"").nth(1).expect("a version").split('"').next();
    version.and_then(|version| version.rsplit_once('.')).expect("a version").0.replace('.', "_")
}

/// Checks that the archive defines the interface, the symbols with the C library's prefix, `more`, and no other external
/// symbol. Replaceable functions must be weak. The archive may import only functions of libc. It must be small and contain
/// no directory names. Returns a line with the numbers.
pub fn only_ours(archive: &str, nm: &str, more: &[&str]) -> Result<String, String> {
    let version = version();
    let all = index(archive, nm);
    let of_library = crate::multi_line(&format!(
        "^statictramp_(c_{version}_([a-z_]*|part_[0-9a-f]{{16}}_.*)|{version}_single_core_[a-z]*)$"
    ));
    let defined: BTreeSet<String> = all.iter().filter(|name| !of_library.is_match(name)).cloned().collect();
    if !defined.contains("statictramp_alloc") {
        return Err(format!("{archive} does not define statictramp_alloc"));
    }
    let map = read("capi/install/statictramp.map");
    let interface: BTreeSet<String> = crate::multi_line(r"^ *([a-zA-Z_]\w*);")
        .captures_iter(&map)
        .map(|found| found[1].to_owned())
        .collect();
    for name in defined.difference(&interface) {
        if !more.contains(&name.as_str()) {
            return Err(format!("{archive} defines {name}, which is not part of the interface"));
        }
    }
    for name in ["slots", "slots_end", "stubs", "stubs_end", "slot_count", "slot_stride", "stub_stride"] {
        if !all.contains(&format!("statictramp_c_{version}_{name}")) {
            return Err(format!("{archive} does not define the symbol {name}, which linker scripts use"));
        }
    }
    // A program may define its own map of function pointers.
    let kind = crate::multi_line(
        "^([TDBRA]statictramp_|T_FortranA|T__gcc_|T__kmpc_|T__tgt_|T__llvm_|V__omp_offloading_fptr_map_)",
    );
    for line in printed_by(line!("{nm} -g --defined-only").arg(archive)).lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [.., _, of, name] = words[..]
            && !kind.is_match(&format!("{of}{name}"))
        {
            return Err(format!("{archive}: the symbol {name} has the unexpected kind {of}"));
        }
    }
    let needed = imports(archive, nm);
    let mut libc = BTreeSet::new();
    if defined.contains("_FortranATrampolineInit") {
        // with an operating system
        let gcc = format!("{}gcc", nm.strip_suffix("nm").expect("nm"));
        libc = index(printed(&format!("{gcc} -print-file-name=libc.a")).trim(), nm);
    }
    // Arm's unwinder; symbols that linkers define for PowerPC and i386; on boards, symbols that tramp.x provides or that the
    // linker names, and a weak reference to the crate's table.
    let provided = crate::multi_line(&format!(
        r"^(__aeabi_unwind_cpp_pr[01]|\.TOC\.|_GLOBAL_OFFSET_TABLE_|statictramp_error_.*|_critical_section_1_0_.*|statictramp_{version}_both)$"
    ));
    if let Some(name) = needed.difference(&libc).find(|name| !provided.is_match(name)) {
        return Err(format!("{archive} refers to {name}, which libc does not define"));
    }
    let bytes = std::fs::read(root().join(archive)).map_err(|why| format!("{archive}: {why}"))?;
    if bytes.len() >= 1_000_000 {
        return Err(format!("{archive} is larger than a megabyte"));
    }
    let text = String::from_utf8_lossy(&bytes);
    let home = std::env::var("HOME").expect("HOME");
    for directory in [&root().display().to_string(), &home, "/rustc/", "/rustlib/"] {
        if text.contains(directory) {
            return Err(format!("{archive} contains the path {directory}"));
        }
    }
    Ok(format!("{} names, {} bytes, {} imported functions of libc", defined.len(), bytes.len(), needed.len()))
}

/// Compiles a program that defines functions under all names that the archive imports, except those that ISO C reserves
/// (ISO/IEC 9899:2011, 7.1.3 and 7.31) and those that begin with `except`; and runs it with `words`. `compiler` ends with the
/// library.
#[track_caller]
pub fn own_names(
    out: &str,
    archive: &str,
    nm: &str,
    runner: &str,
    words: &str,
    except: Option<&str>,
    compiler: &str,
) {
    let reserved = ["abort", "calloc", "free", "getenv", "malloc", "signal", ".TOC."];
    let is_own = |name: &&String| {
        let prefixes = ["_", "mem", "str"].into_iter().chain(except);
        !reserved.contains(&name.as_str()) && !prefixes.into_iter().any(|prefix| name.starts_with(prefix))
    };
    let names = imports(archive, nm);
    let names: Vec<String> = names.iter().filter(is_own).map(|name| format!("FUNCTION({name})\n")).collect();
    let header = root().join(out).join("own_names.h");
    write(&header, names.concat());
    let (compiler, more) = compiler.split_once(' ').expect("a compiler and a library");
    line!("{compiler} -std=c11 -O1 -w -fno-builtin -Icapi/include")
        .arg(format!("-DOWN_NAMES=\"{}\"", header.display()))
        .arg("capi/tests/programs/archive/own_names.c")
        .args(more.split_whitespace())
        .args(["-pthread", "-o", &format!("{out}/own_names")])
        .passes();
    line!("{runner} {out}/own_names {words}").within(300).ended().ends(0);
    for word in ["foreign", "late"] {
        let ended = line!("prlimit --core=0 {runner} {out}/own_names {word}").within(300).ended().ends(134);
        assert!(ended.text.starts_with("statictramp: "), "{ended}");
    }
    println!(
        "{} of the archive's imported names are functions of the program, and none of them was called",
        names.len()
    );
}

/// A program that calls all functions that Rust's own libraries share with libgcc and libm.
pub struct Calls<'a> {
    /// The directory of the program, `calls.c`, and of the lists.
    pub out: &'a str,
    /// The command that runs a program, or nothing.
    pub runner: &'a str,
    /// The number of inputs for each function.
    pub rounds: usize,
}

impl Calls<'_> {
    /// Lists the functions in `OUT/libgcc` and `OUT/libm`. `made` is the archive that cargo makes.
    #[track_caller]
    pub fn names_of_both(&self, made: &str, prefix: &str) {
        let (nm, gcc) = (format!("{prefix}nm"), format!("{prefix}gcc"));
        let file = |option: &str| printed(&format!("{gcc} {option}")).trim().to_owned();
        // In Debian on x86-64, libm.a is a linker script.
        let folder = root().join(file("-print-file-name=libc.a"));
        let folder = folder.parent().expect("a directory");
        let versioned = crate::files_in(folder).into_iter().find(|file| {
            let name = file.file_name().expect("a name").to_string_lossy();
            name.starts_with("libm-") && name.ends_with(".a")
        });
        let libm = versioned.unwrap_or_else(|| folder.join("libm.a"));
        let rust = index(made, &nm);
        for (name, library) in
            [("libgcc", file("-print-libgcc-file-name")), ("libm", libm.display().to_string())]
        {
            let both: Vec<String> =
                index(&library, &nm).intersection(&rust).map(|name| format!("{name}\n")).collect();
            assert!(
                both.len() >= 30,
                "{made} shares {} functions with {library}, expected at least 30",
                both.len()
            );
            write(root().join(self.out).join(name), both.concat());
        }
    }

    /// Returns the output of the program, linked by a command.
    #[track_caller]
    pub fn results(&self, link: &str) -> String {
        command(&format!("{link} -o {}/calls", self.out)).passes();
        line!("{} {}/calls {}", self.runner, self.out, self.rounds).passes().text
    }

    /// Checks that the results are the same, bit for bit, with and without the archive. The archive is first, in the middle
    /// and last, linked without being called, and linked as a whole. Returns the results.
    #[track_caller]
    pub fn same(&self, archive: &str, name: &str, compiler: &str, object: &str, last: &str) -> String {
        let wanted = self.results(&format!("{compiler} {object} {last}"));
        for words in [
            format!("{archive} {object} {last}"),
            format!("-Wl,-u,statictramp_alloc {archive} {object} {last}"),
            format!("{object} {archive} {last}"),
            format!("{object} {last} {archive}"),
            format!("-Wl,--whole-archive {archive} -Wl,--no-whole-archive {object} {last}"),
        ] {
            let found = self.results(&format!("{compiler} {words}"));
            let other = wanted.lines().zip(found.lines()).find(|(wanted, found)| wanted != found);
            assert!(
                found == wanted,
                "{name}, {words}: the archive changes results of functions in libgcc or libm: {other:?}"
            );
        }
        println!("{name}: {} functions and operators, bit for bit", wanted.lines().count());
        wanted
    }

    /// Checks, as a control, that the results differ with cargo's archive. rustup's compiler_builtins refers to
    /// rust_eh_personality, which this archive does not define.
    #[track_caller]
    pub fn other(&self, made: &str, compiler: &str, object: &str, last: &str, wanted: &str) {
        let found =
            self.results(&format!("{compiler} -Wl,--defsym=rust_eh_personality=0 {object} {made} {last}"));
        let changed = wanted.lines().zip(found.lines()).filter(|(wanted, found)| wanted != found).count();
        assert!(found != wanted, "cargo's archive changes no result, so this test proves nothing");
        println!("control: cargo's own archive changes {changed} of them");
    }
}
