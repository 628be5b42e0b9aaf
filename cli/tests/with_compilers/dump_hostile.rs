//! `dump` of hostile processes ends soon, with the documented exit status, and prints the valid part of their data; its output contains
//! no terminal escapes.

use crate::debug_tool;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use test_tools::{Ended, Expect, Process, copy_file, library, new_directory, share, shell, write};
use xshell::{Shell, cmd};

const SOURCES: &str = "cli/tests/programs/dump";

/// Returns a directory with the programs `hostile` and, with the library, `hostile-itself`.
fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let (sh, out, library) = (shell(), new_directory("tool/hostile"), library());
        let hostile = |words: &[&OsStr]| {
            cmd!(sh, "gcc -O2 -Wall -Wextra -Icapi/include {SOURCES}/hostile.c {words...}").passes();
        };
        hostile(&["-rdynamic".as_ref(), "-o".as_ref(), out.join("hostile").as_ref()]);
        let archive = library.join("libstatictramp.a");
        hostile(&[
            "-DWITH_LIBRARY".as_ref(),
            archive.as_ref(),
            "-o".as_ref(),
            out.join("hostile-itself").as_ref(),
        ]);
        out
    })
}

/// Returns a shell with a locale, and a directory of its own.
fn begin(directory: &str) -> (Shell, PathBuf) {
    let sh = shell();
    sh.set_var("LC_ALL", "C.UTF-8");
    (sh, new_directory(directory))
}

/// Starts `hostile load`, with the library's copy at this path.
fn load(sh: &Shell, out: &Path, own: &Path, callee: &OsStr, others: &[PathBuf]) -> Process {
    let programs = programs();
    Process::ready(cmd!(sh, "{programs}/hostile load {own} {callee} {others...}"), out.join("text"))
}

/// Runs the dump with limits of 500 MB and 50 seconds, which is less than its own limit, and checks its output for terminal escapes.
#[track_caller]
fn dump<A: AsRef<OsStr>>(sh: &Shell, status: i32, arguments: impl IntoIterator<Item = A>) -> Ended {
    let tool = debug_tool();
    let mut command = Command::from(cmd!(sh, "prlimit --as=512000000 {tool} dump"));
    command.args(arguments);
    let ended = command.within(50).ended().ends(status).lacks("panicked");
    let is_control = |it: &&u8| matches!(it, 0..=9 | 11..=31 | 127 | 255);
    assert!(ended.bytes.iter().find(is_control).is_none(), "control characters: {ended}");
    ended
}

trait Live {
    /// Checks how many live trampolines the dump shows.
    fn shows(self, count: usize) -> Ended;
}

impl Live for Ended {
    #[track_caller]
    fn shows(self, count: usize) -> Ended {
        self.matches_times(count, "  slot ")
    }
}

/// Builds a library that has a note, and a function with this name.
fn note(sh: &Shell, out: &Path, library: &Path, name: &OsStr, definitions: &[&str]) {
    cmd!(sh, "gcc -c {definitions...} {SOURCES}/note.S -o {out}/note.o").passes();
    let mut renaming = std::ffi::OsString::from("to_be_renamed=");
    renaming.push(name);
    cmd!(sh, "objcopy --redefine-sym {renaming} {out}/note.o").passes();
    cmd!(sh, "gcc -shared -nostdlib {out}/note.o -o {library}").passes();
}

/// Returns a function of the program.
fn of_program() -> &'static OsStr {
    OsStr::new("callee_of_program")
}

#[test]
fn names_with_terminal_escapes_are_printed_without_them() {
    // The names of a library and of its function, which are not UTF-8.
    let name = OsStr::from_bytes(b"\x1b]0;owned\x07 of a \xff\n note");
    let (sh, out) = begin("tool/escapes");
    let directory = out.join(name);
    std::fs::create_dir(&directory).unwrap();
    note(&sh, &out, &directory.join("callee.so"), name, &["-DSLOT=0"]);
    copy_file(library().join("libstatictramp.so.0"), directory.join("own.so"));
    let process = load(&sh, &out, &directory.join("own.so"), name, &[directory.join("callee.so")]);
    for locale in ["C.UTF-8", "C"] {
        sh.set_var("LC_ALL", locale);
        dump(&sh, 0, [process.id()]).shows(3).has(r"(\u{1b}]0;owned\u{7} of a \xff\n note)  chain");
    }
}

#[test]
fn no_names_come_from_a_file_that_replaced_a_library() {
    let (sh, out) = begin("tool/replaced");
    let tool = debug_tool();
    for other in ["fifo", "directory", "socket", "nothing", "another", "sparse"] {
        let own = out.join("own.so");
        let deleted = out.join("own.so (deleted)");
        copy_file(library().join("libstatictramp.so.0"), &own);
        if other == "sparse" {
            File::options().write(true).open(&own).unwrap().set_len(100 << 30).unwrap();
        }
        let process = load(&sh, &out, &own, of_program(), &[]);
        if other != "sparse" {
            std::fs::remove_file(&own).unwrap();
        }
        let mut listener = None;
        match other {
            "fifo" => _ = cmd!(sh, "mkfifo {own}").passes(),
            "directory" => std::fs::create_dir(&own).unwrap(),
            "socket" => listener = Some(UnixListener::bind(&own).unwrap()),
            "another" => {
                write(&own, "no library\n");
                cmd!(sh, "mkfifo {deleted}").passes();
            }
            _ => {}
        }
        dump(&sh, 0, [process.id()]).shows(3);
        cmd!(sh, "setpriv --reuid 65534 --clear-groups true").passes();
        let id = process.id();
        let ended = cmd!(sh, "setpriv --reuid 65534 --clear-groups {tool} dump {id}").ended();
        assert!(ended.status != 0 && ended.text.contains("ermission denied"), "{ended}");
        drop((process, listener));
        cmd!(sh, "rm -rf {own} {deleted}").passes();
    }
}

#[test]
fn invalid_notes_are_skipped_or_reported() {
    let (sh, out) = begin("tool/notes");
    for (status, definitions) in [
        (0, "-DSLOTS=0xffffffff"),
        (0, "-DSLOTS=0"),
        (0, "-DSLOT=0"),
        (0, "-DSLOT=8"),
        (0, "-DSLOT=0xffffffff"),
        (0, "-DSTUB=0"),
        (0, "-DSTUB=0xffffffff"),
        // The memory that these point to cannot be read.
        (2, "-DWHERE=0x7fffffffffff0000"),
        (2, "-DWHERE=-0x10000000"),
        (2, "-DSLOTS=1048576 -DSLOT=256"),
    ] {
        let definitions: Vec<&str> = definitions.split(' ').collect();
        let invalid = out.join("invalid.so");
        note(&sh, &out, &invalid, OsStr::new("renamed"), &definitions);
        let own = library().join("libstatictramp.so.0");
        let process = load(&sh, &out, &own, of_program(), &[invalid]);
        dump(&sh, status, [process.id()]).shows(3);
    }
}

#[test]
fn many_mappings_and_truncated_files_are_read_in_time() {
    let (sh, out) = begin("tool/mappings");
    let programs = programs();
    let own = std::fs::read(library().join("libstatictramp.so.0")).unwrap();
    write(out.join("head"), &own[..4096]);
    let process = Process::ready(cmd!(sh, "{programs}/hostile many {out}/head 60000"), out.join("text"));
    dump(&sh, 1, [process.id()]);
    drop(process);
    let mut narrow = b"\x7fELF\x01\x01".to_vec();
    narrow.resize(4096, 0);
    write(out.join("narrow"), narrow);
    let mut random = vec![0; 4096];
    std::io::Read::read_exact(&mut File::open("/dev/urandom").unwrap(), &mut random).unwrap();
    write(out.join("random"), &random);
    random[..6].copy_from_slice(b"\x7fELF\x02\x01");
    write(out.join("wild"), random);
    let files = ["random", "wild", "narrow", "head"].map(|it| out.join(it));
    let process = Process::ready(cmd!(sh, "{programs}/hostile map {files...}"), out.join("text"));
    dump(&sh, 2, [process.id()]).has("32-bit program");
}

#[test]
fn the_dump_ends_if_reads_of_memory_or_files_never_return() {
    let (sh, out) = begin("tool/never");
    let programs = programs();
    let process = Process::ready(cmd!(sh, "{programs}/hostile-itself never"), out.join("text"));
    let (id, layout) = (process.id(), out.join("without-writer"));
    let layout = layout.to_str().unwrap();
    cmd!(sh, "mkfifo {layout}").passes();
    if process.text().trim() == "ready" {
        dump(&sh, 2, [&*id, "--seconds", "5"]);
    } else {
        eprintln!("userfaultfd is not allowed here: {}", process.text());
    }
    dump(&sh, 2, [&*id, "--seconds", "1", "--layout", layout]).has("within 1 seconds");
}

#[test]
fn a_descriptor_is_shown_even_if_it_changes_while_it_is_read() {
    let (sh, out) = begin("tool/descriptor");
    let programs = programs();
    let process = Process::ready(cmd!(sh, "{programs}/hostile-itself descriptor"), out.join("text"));
    let (id, layout) = (process.id(), out.join("layout"));
    let valid = "# a comment\ncallee_of_program a: descriptor(1), b: character, p: pointer, q: procedure\n";
    let path = layout.to_str().unwrap();
    write(&layout, valid);
    for _ in 0..share(1000) {
        dump(&sh, 0, [&*id, "--layout", path]).shows(1).matches("^    a: ");
    }
    // The layout may be read from a pipe.
    let tool = debug_tool();
    let command = "exec \"$0\" dump --layout <(cat \"$1\") \"$2\"";
    cmd!(sh, "bash -c {command} {tool} {layout} {id}").passes().shows(1);
    for text in [
        &b"callee_of_program a: integer(\x1b[2J)"[..],
        b"f \xff",
        b"f a: descriptor(16)",
        b"f {{{{{{{{{{ptr",
        b"f [99999999999999999999 x i8]",
    ] {
        write(&layout, text);
        dump(&sh, 2, [&*id, "--layout", path]);
    }
    for path in [b"/dev/zero", b"/nowhere".as_slice(), out.as_os_str().as_bytes(), b"/no\x1b[2Jwhere\xff"] {
        dump(&sh, 2, [OsStr::new(&*id), OsStr::new("--layout"), OsStr::from_bytes(path)]);
    }
}

#[test]
fn process_numbers_without_a_program_are_reported() {
    let (sh, out) = begin("tool/numbers");
    let mut ended = Process::start(cmd!(sh, "true"), out.join("text"));
    let former = ended.id();
    ended.wait();
    // `exec` replaces the shell with a program that does not wait for the shell's child, which becomes a zombie.
    let script = "sleep 0.1 & echo $!; echo ready; exec sleep 60";
    let parent = Process::ready(cmd!(sh, "sh -c {script}"), out.join("text"));
    let zombie = parent.text().lines().next().unwrap().to_owned();
    test_tools::wait_until("a zombie", || {
        std::fs::read_to_string(format!("/proc/{zombie}/status")).is_ok_and(|it| it.contains("State:\tZ"))
    });
    dump(&sh, 2, [&zombie]);
    dump(&sh, 2, [&former]);
    if std::fs::read_to_string("/proc/2/comm").is_ok_and(|it| it.trim() == "kthreadd") {
        dump(&sh, 2, ["2"]);
    }
    let own = std::process::id().to_string();
    dump(&sh, 1, [&own]);
    let invalid: [&[u8]; 7] = [b"", b"many", b"-1", b"0", b"99999999999999999999", b"\xff", b"1\x1b[2J"];
    for number in invalid {
        dump(&sh, 2, [OsStr::from_bytes(number)]);
    }
    dump(&sh, 2, [""; 0]);
    dump(&sh, 2, ["1", "2"]);
    dump(&sh, 2, [&*own, "--seconds"]);
    dump(&sh, 2, [&*own, "--seconds", "-1"]);
    dump(&sh, 2, [&*own, "--layout"]);
}

#[test]
fn names_are_found_in_another_mount_namespace() {
    let (sh, out) = begin("tool/namespace");
    if cmd!(sh, "unshare -m true").ended().status != 0 {
        eprintln!("unshare is not allowed here");
        return;
    }
    let (programs, library, hidden) = (programs(), library(), out.join("hidden"));
    std::fs::create_dir(&hidden).unwrap();
    let script = "mount -t tmpfs none $2 && cp $1/libstatictramp.so.0 $2/own.so && exec $3/hostile load $2/own.so callee_of_program";
    let command = cmd!(sh, "unshare -m sh -c {script} sh {library} {hidden} {programs}");
    let process = Process::ready(command, out.join("text"));
    cmd!(sh, "mkfifo {hidden}/own.so").passes(); // in this namespace
    dump(&sh, 0, [process.id()]).shows(3).has("(callee_of_program)");
}

#[test]
fn closed_outputs_end_silently_but_full_disks_are_errors() {
    let (sh, out) = begin("tool/outputs");
    let process = load(&sh, &out, &library().join("libstatictramp.so.0"), of_program(), &[]);
    let (tool, dump) = (debug_tool(), format!("dump {}", process.id()));
    let script = "\"$0\" \"$@\" | head -n 1";
    let words = dump.split(' ');
    cmd!(sh, "bash -c {script} {tool} {words...}").passes().has("3 of");
    for arguments in [&*dump, "--help", "--version", ""] {
        let words = &arguments.split_whitespace().collect::<Vec<_>>();
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let ended = cmd!(sh, "{tool} {words...}").output_to(full()).ended().ends(1);
        ended.matches("^statictramp: cannot write to standard output: No space left");
        let closed = "exec \"$0\" \"$@\" >&-";
        cmd!(sh, "bash -c {closed} {tool} {words...}").passes();
        let reader_ends = "\"$0\" \"$@\" | true";
        let ended = cmd!(sh, "bash -c {reader_ends} {tool} {words...}").passes();
        assert_eq!(ended.text, "", "{ended}");
    }
    let errors = "exec \"$0\" dump 0 2>/dev/full";
    cmd!(sh, "bash -c {errors} {tool}").ends(2);
}
