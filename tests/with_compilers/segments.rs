//! The pool and its environment: where a new segment's code comes from, who may set the limit, and cancelled
//! threads.

use std::path::{Path, PathBuf};
use test_tools::{
    Expect, copy_file, copy_shared_library, is_root, library, line, new_directory, printed, set_mode,
};

const FLAGS: &str = "-O2 -g -Wall -Wextra -Icapi/include";
const PROGRAMS: &str = "tests/programs/core";

/// Builds a program that finds the shared library in its own directory.
fn beside_library(name: &str, directory: &str) -> PathBuf {
    let out = new_directory(&format!("core/{directory}"));
    let shared = format!("{}/libstatictramp.so.0 -Wl,-rpath,$ORIGIN", library().display());
    line!("gcc {FLAGS} {PROGRAMS}/{name}.c {shared} -o {}/{name}", out.display()).passes();
    out
}

/// Copies a program and the library into a directory, and returns the path of the library.
fn copy_program(program: &Path, directory: &Path) -> PathBuf {
    std::fs::create_dir_all(directory).unwrap();
    copy_file(program, directory.join(program.file_name().unwrap()));
    copy_shared_library(directory);
    directory.join("libstatictramp.so.0")
}

#[test]
fn the_table_does_not_grow_if_the_library_file_is_deleted_replaced_or_moved() {
    let out = beside_library("replaced", "replaced");
    let answer = |how: &str, directory: &Path, before: &str, wanted: &str| {
        let file = copy_program(&out.join("replaced"), directory);
        let copy = directory.join("copy");
        copy_file(&file, &copy);
        let run = line!("env {before}")
            .arg(directory.join("replaced"))
            .arg(how)
            .args([file, copy])
            .within(300)
            .ended()
            .ends(0);
        assert_eq!(run.text.trim_end(), wanted, "the library is {how}: {run}");
    };
    let full = "full, nameless";
    answer("as-it-was", &out.join("of-as-it-was"), "", "grown, named");
    answer("as-it-was", &out.join("of-line\nfeed"), "", "grown, named");
    let long: String = (1..=5).map(|number| format!("/{number:0200}")).collect();
    answer("as-it-was", &out.join(format!("of-{long}")), "", full);
    answer("moved", &out.join("of-moved"), "", "grown, named");
    for how in ["deleted-name", "pipe", "replaced", "link"] {
        answer(how, &out.join(format!("of-{how}")), "", full);
    }
    if is_root("a file over which another one is mounted") {
        answer("mounted", &out.join("of-mounted"), "unshare --mount", full);
    }
}

const DIFFER: &str = "this code and the file that it came from differ";

/// Checks the beginning of the program's answer. Growth must map the running code or fail.
#[track_caller]
fn change(how: &str, directory: &Path, before: &str, wanted: &str) {
    let other = printed("gcc -print-file-name=libc.so.6");
    let directory = directory.display();
    let run = line!("{before} {directory}/changed {how} {directory}/libstatictramp.so.0 {other}")
        .within(300)
        .ended()
        .ends(0);
    assert!(run.text.starts_with(wanted), "{how}, expected {wanted}: {run}");
}

/// The program writes to its own code, like a debugger or any other writer to private pages of the process.
#[test]
fn the_table_grows_only_if_the_running_code_matches_the_file() {
    let out = beside_library("changed", "changed");
    for (how, wanted) in [
        ("as-it-was", "grown"),
        ("own-pages", "grown"),
        ("own-pages-stub", DIFFER),
        ("patched", DIFFER),
        ("breakpoint", "grown"),
        ("breakpoint-operand", DIFFER),
        ("padding", DIFFER),
        ("locked", "grown"),
        ("rights", "the permissions of some pages of this code were changed"),
        ("anonymous", "this code is not mapped from a file"),
        ("personality", "readable memory is executable in this process (personality READ_IMPLIES_EXEC)"),
        ("address-space", "no memory is left, or the process cannot have more mappings"),
    ] {
        let directory = out.join(how);
        copy_program(&out.join("changed"), &directory);
        change(how, &directory, "env", wanted);
    }
    let orders = ["break change", "run", "break *(void*)last_stub if 0", "continue"];
    let gdb = line!("gdb -nx -batch").args(orders.iter().flat_map(|order| ["-ex", order]));
    let gdb = gdb.arg("--args").arg(out.join("as-it-was/changed")).args(["as-it-was", "none", "none"]);
    gdb.passes().matches("^Breakpoint 2 at").matches("^grown$");
}

/// Writing to the file copies it, and the running mapping keeps the old file. `unshare` removes the mounts.
#[test]
fn the_table_grows_on_overlayfs_only_if_the_file_is_unchanged() {
    if !is_root("overlayfs") {
        return;
    }
    let out = beside_library("changed", "overlay");
    for how in ["as-it-was", "overwritten", "truncated", "cut", "stub", "neighbour"] {
        let lower = out.join("library").join(how);
        copy_program(&out.join("changed"), &lower);
        let folder = out.join(how);
        std::fs::create_dir(&folder).unwrap();
        let script = "set -e; mount -t tmpfs none $0; cd $0; mkdir lower upper work merged; cp -a $1/. lower
            mount -t overlay overlay -o lowerdir=$0/lower,upperdir=$0/upper,workdir=$0/work $0/merged; shift; exec \"$@\"";
        let wanted = if how == "as-it-was" { "grown" } else { DIFFER };
        let other = printed("gcc -print-file-name=libc.so.6");
        let run = line!("unshare --mount sh -c")
            .arg(script)
            .arg(&folder)
            .arg(&lower)
            .arg(folder.join("merged/changed"))
            .arg(how);
        let run = run.arg(folder.join("merged/libstatictramp.so.0")).arg(other.trim());
        let run = run.within(300).ended().ends(0);
        assert!(run.text.starts_with(wanted), "{how}, expected {wanted}: {run}");
    }
}

#[test]
fn set_user_id_programs_ignore_the_limit() {
    let out = new_directory("core/limit");
    let archive = library().join("libstatictramp.a");
    line!(
        "gcc {FLAGS} capi/tests/programs/c/grow.c {} -pthread -o {}/grow",
        archive.display(),
        out.display()
    )
    .passes();
    line!("STATICTRAMP_LIMIT=1500 {}/grow 3000 expect-full x", out.display()).passes();
    if !is_root("set-user-ID programs") {
        return;
    }
    let folder = printed("mktemp -d");
    let folder = folder.trim();
    set_mode(folder, 0o755);
    for (owner, mode) in [("nobody:root", 0o4755), ("root:nogroup", 0o2755)] {
        copy_file(out.join("grow"), format!("{folder}/grow"));
        line!("chown {owner} {folder}/grow").passes();
        set_mode(format!("{folder}/grow"), mode);
        // This also fails if the directory is mounted nosuid.
        line!(
            "STATICTRAMP_LIMIT=1500 setpriv --reuid=daemon --regid=daemon --clear-groups {folder}/grow 3000"
        )
        .passes();
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn cancelled_threads_invalid_pointers_and_main_thread_exit_are_harmless() {
    let out = new_directory("core/threads").display().to_string();
    let library = library().display().to_string();
    for (program, linked) in [
        ("cancelled", format!("{library}/libstatictramp.a")),
        ("foreign", format!("{library}/libstatictramp.a")),
        ("leader", format!("{library}/libstatictramp.a")),
        ("leader", format!("{library}/libstatictramp.so.0 -Wl,-rpath,{library}")),
    ] {
        line!("gcc {FLAGS} {PROGRAMS}/{program}.c {linked} -pthread -o {out}/{program}").passes();
        line!("{out}/{program}").within(300).ended().ends(0);
    }
}
