//! The tool on Windows, run by Wine: self-test, flags, unsupported commands, verdicts on Linux files, directory trees
//! with unusual names, and the library's own table in images. The `windows` leg has built the tool, the C library and
//! programs with it.

use crate::audit_files::{copy, files};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use test_tools::{
    Ended, Expect, copy_file, files_in, new_directory, prepared, read, shell, stack_rights, write,
};
use xshell::{Shell, cmd};

const TRIPLE: &str = "x86_64-pc-windows-gnu";

/// A folder whose name shells and Windows treat differently.
const ODD: &str = "a päth of Ωs";

/// Returns a shell with Wine's variables, and an empty directory.
fn start(name: &str) -> (Shell, PathBuf) {
    let sh = shell();
    sh.set_var("WINEPREFIX", prepared("target/windows/wine"));
    sh.set_var("WINEDEBUG", "-all");
    sh.set_var("LC_ALL", "C.UTF-8"); // for file names
    (sh, new_directory(&format!("windows/tool/{name}")))
}

/// Returns the directory in which the tool and the C library are installed.
fn installed() -> &'static Path {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let (sh, installed) = start("installed");
        let (prefix, bin) = (prepared(&format!("target/prefix-{TRIPLE}")), installed.join("bin"));
        cmd!(sh, "cp -r {prefix}/include {prefix}/lib {installed}").passes();
        std::fs::create_dir(&bin).unwrap();
        for file in [&*format!("cargo/{TRIPLE}/debug/statictramp.exe"), "bcryptprimitives.dll"] {
            let file = prepared(&format!("target/windows/{file}"));
            copy_file(&file, bin.join(file.file_name().unwrap()));
        }
        installed
    })
}

/// Runs the tool with a line of words and then these files, and checks its exit status. It must not print control characters.
#[track_caller]
fn tool<T: AsRef<OsStr>>(sh: &Shell, status: i32, line: &str, files: &[T]) -> Ended {
    let (words, tool) = (line.split_whitespace(), installed().join("bin/statictramp.exe"));
    let ended = cmd!(sh, "wine {tool} {words...} {files...}").within(600).ended().ends(status);
    ended.lacks("panicked").lacks("\x1b").lacks("\x07").lacks("\r")
}

/// No files for [`tool`].
const NONE: &[&str] = &[];

/// Checks the verdict on a file, and the exit status.
#[track_caller]
fn verdict(sh: &Shell, word: &str, status: i32, file: &Path) {
    tool(sh, status, "audit --json --all", &[file]).has(&format!("\"verdict\": \"{word}\""));
}

#[test]
fn the_self_test_passes_and_each_command_describes_itself() {
    let (sh, _) = start("help");
    let ended = tool(&sh, 0, "", NONE);
    ended
        .has("every result correct")
        .has("1024 of 1024")
        .has("10240 of 16384")
        .has("Windows")
        .has("a stub, in code         16 bytes");
    let ended = tool(&sh, 0, "--json --static", NONE);
    ended.has("\"alive_now\": 0").has("\"grown\": null").has("\"mappings\": \"none of ");
    for command in ["dump", "flags", "audit", "run", "completions", "man"] {
        tool(&sh, 0, command, &["--help"]).has(&format!("Usage: statictramp.exe {command}"));
    }
    tool(&sh, 0, "completions powershell", NONE).has("statictramp");
    tool(&sh, 0, "man", NONE).has(".TH statictramp 1");
    tool(&sh, 2, "nonsense", NONE);
    tool(&sh, 2, "audit", NONE);
}

#[test]
fn commands_that_need_linux_are_rejected() {
    let (sh, _) = start("rejected");
    tool(&sh, 2, "dump 1", NONE).has("statictramp: dump is not available on Windows");
    tool(&sh, 2, "run cmd.exe", NONE).has("statictramp: run is not available on Windows");
    tool(&sh, 2, "audit --pid 1", NONE).has("--pid is not available on Windows");
}

#[test]
fn flags_are_quoted_for_windows_shells_and_link_a_program() {
    let (sh, out) = start("flags");
    // Linux has no drives.
    let flags = tool(&sh, 0, "flags --c", NONE).text.replace("Z:", "");
    let (program, flags) = (out.join("flags.exe"), flags.split_whitespace());
    cmd!(
        sh,
        "x86_64-w64-mingw32-gcc -Wall -Wextra capi/tests/programs/install/program.c {flags...} -o {program}"
    )
    .passes();
    // The loader would corrupt the memory at 32-bit relocations of a 64-bit image.
    cmd!(sh, "x86_64-w64-mingw32-objdump -p {program}").passes().lacks("HIGHLOW");
    cmd!(sh, "wine {program}").passes();
    let (odd, prefix) = (out.join(ODD), installed());
    std::fs::create_dir(&odd).unwrap();
    tool(&sh, 1, "flags --prefix", &[&odd]);
    tool(&sh, 1, "flags --script", NONE).has("the script is not available on Windows");
    cmd!(sh, "cp -r {prefix}/include {prefix}/lib {odd}").passes();
    tool(&sh, 1, "flags --c --prefix", &[&odd])
        .has("a shell would change this path, or it is not UTF-8: ")
        .has(&format!("{ODD}\\lib\\libstatictramp.a"));
}

#[test]
fn linux_files_have_the_same_verdicts_as_on_linux() {
    let (sh, out) = start("verdicts");
    let asks = out.join("asks ß");
    copy("asks", &asks);
    verdict(&sh, "needed", 1, &files().join("nested.o"));
    verdict(&sh, "clean", 0, &files().join("plain.o"));
    verdict(&sh, "says-nothing", 1, &files().join("answer.o"));
    verdict(&sh, "asked-only", 1, &asks);
    let cleared = out.join("asks ß.cleared");
    let command = format!("statictramp audit --clear \"{}\"", asks.display());
    tool(&sh, 0, "audit --clear", &[&asks]).has(&command);
    assert_eq!((stack_rights(&cleared), stack_rights(&asks)), ("RW".into(), "RWE".into()));
    verdict(&sh, "clean", 0, &cleared);
    tool(&sh, 2, "audit --clear --in-place", &[&asks])
        .has("not cleared: --in-place is not available on Windows");
    assert_eq!(stack_rights(&asks), "RWE");
}

#[test]
fn unusual_files_in_a_tree_are_examined_or_reported_as_unreadable() {
    let (sh, out) = start("tree");
    let tree = out.join(ODD);
    // The path has more than 260 characters.
    let long = tree.join("deep").join((0..5).map(|it| format!("{it:060}")).collect::<PathBuf>());
    for directory in [&long, &tree.join("deep/deeper")] {
        std::fs::create_dir_all(directory).unwrap();
    }
    for (name, to) in
        [("nested.o", "needs.o"), ("plain.o", "plain.o"), ("answer.o", "deep/answer.o"), ("asks", "large")]
    {
        copy(name, tree.join(to));
    }
    copy("asks", long.join("far"));
    File::options().write(true).open(tree.join("large")).unwrap().set_len(5 << 30).unwrap();
    symlink(".", tree.join("loop")).unwrap();
    symlink("../..", tree.join("deep/deeper/loop")).unwrap();
    cmd!(sh, "mkfifo {tree}/fifo").passes();
    for name in ["NUL", "CON", "COM1.o", "bell\x07\x1b[31m"] {
        copy("nested.o", tree.join(name));
    }
    copy("nested.o", tree.join(OsStr::from_bytes(b"no\xffname")));
    let ended = tool(&sh, 2, "audit", &[&tree]).has("6 files examined, 5 with findings, 5 unreadable");
    let unreadable = ["\\NUL: ", "\\CON: ", "\\COM1.o: ", "\\fifo: ", "bell\\u{7}\\u{1b}[31m: "];
    unreadable
        .into_iter()
        .chain(["\\far: asks", "\\large: asks", "name: needs"])
        .fold(ended, |ended, text| ended.has(text));
    tool(&sh, 2, "audit --json", &[&tree]).has("\"looked_at\": 6,").has("\"unreadable\": 5");
    for name in ["NUL", "CONIN$", "what?"] {
        tool(&sh, 2, "audit", &[name]);
    }
    for name in ["CON", "fifo", "nothing"] {
        tool(&sh, 2, "audit", &[tree.join(name)]);
    }
}

#[test]
fn the_output_may_be_closed_early() {
    let (sh, out) = start("early");
    let (tool, library) = (installed().join("bin/statictramp.exe"), installed().join("lib"));
    let script = "set -o pipefail; timeout 600 wine \"$@\" 2>\"$0\" | head -n 1";
    let messages = out.join("messages");
    let (man, audit) =
        (vec![OsStr::new("man")], vec![OsStr::new("audit"), OsStr::new("--all"), library.as_os_str()]);
    for words in [man, audit] {
        cmd!(sh, "bash -c {script} {messages} {tool} {words...}").passes().matches("^.");
        assert_eq!(read(&messages), "");
    }
}

/// Returns the offsets of the stubs in an image.
fn stubs(image: &[u8]) -> Vec<usize> {
    let (mut stubs, mut at) = (Vec::new(), 0);
    while let Some(bytes) = image.get(at..at + 16) {
        let is_stub = bytes.starts_with(b"\x4c\x8b\x15")
            && bytes[7..].starts_with(b"\xff\x25")
            && bytes.ends_with(b"\xcc\xcc\xcc");
        if is_stub {
            stubs.push(at);
        }
        at += if is_stub { 16 } else { 1 };
    }
    stubs
}

/// Writes an image with one changed bit of a stub.
fn flip(image: &[u8], stub: usize, bit: usize, to: &Path) {
    let mut changed = image.to_vec();
    changed[stubs(image)[stub] + bit / 8] ^= 1 << (bit % 8);
    write(to, changed);
}

/// Returns the line that the tool prints about an intact table.
fn intact(slots: usize) -> String {
    format!("intact: {slots} stubs, each of which reads only its own slot")
}

/// Returns two programs linked with the library's archive. The second program has no symbols.
fn programs(sh: &Shell, out: &Path) -> [PathBuf; 2] {
    let (library, stripped) = (prepared("target/windows/library.exe"), out.join("stripped.exe"));
    cmd!(sh, "x86_64-w64-mingw32-strip -o {stripped} {library}").passes();
    [library, stripped]
}

#[test]
fn tables_are_intact_and_a_flipped_bit_is_detected() {
    let (sh, out) = start("tables");
    let [library, stripped] = programs(&sh, &out);
    tool(&sh, 0, "audit", &[prepared("target/windows/closures.exe")]).has(&intact(1024));
    for file in [&library, &stripped, &prepared(&format!("target/windows/{ODD}/statictramp.dll"))] {
        tool(&sh, 0, "audit", &[file]).has(&intact(64));
    }
    tool(&sh, 0, "audit --all", &[installed().join("lib/libstatictramp.a")]).has("not yet linked: 64 slots");
    let tree = out.join("tree");
    for file in [&library, &stripped] {
        let image = std::fs::read(file).unwrap();
        assert_eq!(stubs(&image).len(), 64);
        for stub in [0, 1, 3, 31, 62, 63] {
            // In a program without symbols, only its own code identifies the last stub.
            if stub == 63 && file == &stripped {
                continue;
            }
            for bit in [0, 30, 60, 90, 110, 127] {
                let name = file.file_stem().unwrap().to_string_lossy();
                flip(&image, stub, bit, &tree.join(format!("{name}-{stub}-{bit}.exe")));
            }
        }
    }
    tool(&sh, 1, "audit", &[&tree])
        .matches_times(66, "has a statictramp table that is BROKEN: ")
        .has("66 files examined, 66 with findings, 0 unreadable")
        .has("BROKEN: stub 31 (at ");
}

/// Assembles a table.
fn table(sh: &Shell, slots: usize, version: &str, object: &Path) {
    let mut text = format!(".set SLOTS, {slots}\n.set LEAD, 64\n.set SLOT_STRIDE, 32\n.set LISTED, 0\n");
    text += &(read("asm/windows/x86_64.S") + &read("asm/windows/table.S"));
    let source = object.with_extension("S");
    write(&source, text.replace("statictramp_VERSION_", &format!("statictramp_{version}_")));
    cmd!(sh, "x86_64-w64-mingw32-gcc -c {source} -o {object}").passes();
}

/// Links an image that contains nothing else.
fn image(sh: &Shell, image: &Path, objects: &[&Path]) {
    cmd!(sh, "x86_64-w64-mingw32-gcc -shared -nostdlib -Wl,--entry,0 -o {image} {objects...}").passes();
}

/// Checks which tables `audit` finds in a file, by the beginnings of what it prints.
#[track_caller]
fn finds(sh: &Shell, status: i32, file: &Path, tables: &[&str]) {
    let ended = tool(sh, status, "audit --all", &[file]);
    let lines = ended.text.lines().filter_map(|it| it.split_once("has a statictramp table"));
    let mut found: Vec<&str> =
        lines.map(|it| it.1.trim_start_matches(" that is ").trim_start_matches(", ")).collect();
    let mut tables = tables.to_vec();
    found.sort();
    tables.sort();
    let agree =
        found.len() == tables.len() && found.iter().zip(&tables).all(|(it, table)| it.starts_with(table));
    assert!(agree, "expected {tables:?}: {ended}");
}

#[test]
fn two_copies_in_one_image_are_distinguished() {
    let (sh, out) = start("copies");
    let [one, other, nameless, broken] =
        ["one.o", "other.o", "nameless.o", "broken.dll"].map(|it| out.join(it));
    let own = |slots| intact(slots);
    // The bytes before the stubs of the second copy separate the tables.
    for slots in [63, 64] {
        table(&sh, slots, "0_1", &one);
        table(&sh, slots, "0_2", &other);
        let both = out.join(format!("two-{slots}.dll"));
        image(&sh, &both, &[&one, &other]);
        finds(&sh, 0, &both, &[&own(slots), &own(slots)]);
        let stripped = both.with_extension("stripped.dll");
        cmd!(sh, "x86_64-w64-mingw32-strip -o {stripped} {both}").passes();
        finds(&sh, 0, &stripped, &[&own(slots), &own(slots)]);
        if slots == 63 {
            flip(&std::fs::read(&stripped).unwrap(), 70, 30, &broken);
            finds(&sh, 1, &broken, &[&own(63), "BROKEN: stub 7"]);
        }
    }
    // Two copies whose symbols have the same names; one copy without symbols.
    table(&sh, 64, "0_1", &other);
    cmd!(sh, "x86_64-w64-mingw32-objcopy --wildcard --localize-symbol statictramp_* {other}").passes();
    cmd!(sh, "x86_64-w64-mingw32-strip -x {other} -o {nameless}").passes();
    for second in [&other, &nameless] {
        let both = second.with_extension("dll");
        image(&sh, &both, &[&one, second]);
        finds(&sh, 0, &both, &[&own(64), &own(64)]);
        flip(&std::fs::read(&both).unwrap(), 69, 30, &broken);
        finds(&sh, 1, &broken, &[&own(64), "BROKEN: stub 5"]);
    }
}

/// Imports whose addresses the loader writes to `TABLE`.
const IMPORTS: &str = r#"        .section .idata$2,"dr"
        .globl  imports
imports:
        .rva    names
        .long   0, 0
        .rva    file, TABLE
        .long   0, 0, 0, 0, 0
names:  .rva    name
        .long   0, 0, 0
file:   .asciz  "kernel32.dll"
name:   .short  0
        .asciz  "ExitProcess"
"#;

/// Returns the offset of an image's PE header.
fn header(image: &[u8]) -> usize {
    u32::from_le_bytes(image[60..64].try_into().unwrap()) as usize
}

/// Returns the offset of a section's header, of which bytes 8 to 11 are its size and bytes 12 to 15 its address.
fn section(image: &[u8], name: &str) -> usize {
    let first = header(image) + 264;
    (0..16).map(|it| first + 40 * it).find(|&it| image[it..].starts_with(name.as_bytes())).expect("a section")
}

#[test]
fn tables_that_the_loader_writes_to_are_reported_as_broken() {
    let (sh, out) = start("imports");
    let [one, source, imports, library] =
        ["one.o", "imports.s", "imports.o", "imports.dll"].map(|it| out.join(it));
    table(&sh, 64, "0_1", &one);
    for written in ["statictramp_0_1_stubs", "statictramp_0_1_slots", "imports"] {
        write(&source, IMPORTS.replace("TABLE", written));
        cmd!(sh, "x86_64-w64-mingw32-gcc -c {source} -o {imports}").passes();
        image(&sh, &library, &[&one, &imports]);
        // The header names the section as the directory of imports.
        let mut bytes = std::fs::read(&library).unwrap();
        let (directory, imports) = (header(&bytes) + 144, section(&bytes, ".idata"));
        bytes.copy_within(imports + 12..imports + 16, directory);
        bytes.copy_within(imports + 8..imports + 12, directory + 4);
        write(&library, bytes);
        match written {
            "imports" => finds(&sh, 0, &library, &[&intact(64)]),
            _ => finds(&sh, 1, &library, &["BROKEN: the loader writes to it,"]),
        }
    }
}

#[test]
fn tables_that_overlap_another_section_are_reported_as_broken() {
    let (sh, out) = start("overlap");
    let [one, library, over] = ["one.o", "one.dll", "over.dll"].map(|it| out.join(it));
    table(&sh, 64, "0_1", &one);
    image(&sh, &library, &[&one]);
    for name in [".idata", ".bss"] {
        let mut bytes = std::fs::read(&library).unwrap();
        let (text, other) = (header(&bytes) + 264 + 12, section(&bytes, name) + 12);
        bytes.copy_within(text..text + 4, other);
        write(&over, bytes);
        tool(&sh, 1, "audit", &[&over]).has("BROKEN: ").lacks("intact:");
    }
}

#[test]
fn files_that_contain_only_debug_information_are_unreadable() {
    let (sh, out) = start("debug");
    for name in ["library", "closures"] {
        let (program, debug) = (prepared(&format!("target/windows/{name}.exe")), out.join(name));
        cmd!(sh, "x86_64-w64-mingw32-objcopy --only-keep-debug {program} {debug}").passes();
        tool(&sh, 2, "audit", &[&debug]).has("debug information only, without code");
    }
}

#[test]
fn truncated_files_are_examined_or_reported() {
    let (sh, out) = start("truncated");
    let tree = out.join("tree");
    let mut whole = programs(&sh, &out).to_vec();
    whole.extend([files().join("nested.o"), files().join("asks"), installed().join("lib/libstatictramp.a")]);
    for file in &whole {
        let (name, bytes) = (file.file_name().unwrap().to_string_lossy(), std::fs::read(file).unwrap());
        for size in [1, 5, 20, 63, 130, bytes.len() / 3, bytes.len() / 2, bytes.len() - 1] {
            write(tree.join(format!("{size}-{name}")), &bytes[..size]);
        }
    }
    let ended = tool(&sh, 2, "audit", &[&tree]);
    let number = |pattern: &str| ended.group(pattern).parse::<usize>().unwrap();
    let counted = number("([0-9]+) files examined") + number("([0-9]+) unreadable");
    assert!(counted >= files_in(&tree).len(), "{counted} files: {ended}");
}
