//! Files that several tests of `audit` examine, and checks of its output.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use test_tools::{Ended, Expect, copy_file, new_directory, shell};
use xshell::cmd;

/// Returns the directory of the common files, which tests only read: `needed`, a program with a trampoline on its stack; `stripped`,
/// without symbols; `hidden`, which does not request an executable stack; `asks`, which only requests one; the objects `nested.o`,
/// `plain.o`, `answer.o` (without the note), `marked.o` (which requests an executable stack), and archives of them.
pub fn files() -> &'static Path {
    static FILES: OnceLock<PathBuf> = OnceLock::new();
    FILES.get_or_init(|| {
        // Not `start`: the leg for Windows builds no tool for this system.
        let (sh, out) = (shell(), new_directory("audit/files"));
        let sources = "cli/tests/programs/audit";
        cmd!(sh, "gcc -O2 {sources}/nested.c -o {out}/needed").passes();
        cmd!(sh, "strip -o {out}/stripped {out}/needed").passes();
        cmd!(sh, "gcc -O2 -z noexecstack {sources}/nested.c -o {out}/hidden").passes();
        cmd!(sh, "gcc -O2 -fPIC -DWITHOUT_MAIN -c {sources}/nested.c -o {out}/nested.o").passes();
        cmd!(sh, "gcc -c {sources}/plain.c -o {out}/plain.o").passes();
        cmd!(sh, "as {sources}/plain.s -o {out}/answer.o").passes();
        cmd!(sh, "gcc {out}/plain.o {out}/answer.o -o {out}/asks").passes();
        cmd!(sh, "as {sources}/marked.s -o {out}/marked.o").passes();
        cmd!(sh, "ar rcs {out}/mixed.a {out}/plain.o {out}/answer.o {out}/nested.o").passes();
        cmd!(sh, "ar rcs {out}/marked.a {out}/plain.o {out}/marked.o").passes();
        out
    })
}

/// Copies a common file.
pub fn copy(name: &str, to: impl AsRef<Path>) {
    copy_file(files().join(name), to);
}

/// Checks the verdict on a file, and the exit status.
#[track_caller]
pub fn verdict(word: &str, status: i32, file: impl AsRef<Path>) -> Ended {
    let (sh, file) = (crate::tool_shell(), file.as_ref());
    let ended = cmd!(sh, "statictramp audit --json {file}").ends(status);
    if word == "clean" { ended } else { ended.has(&format!("\"verdict\": \"{word}\"")) }
}

/// Checks that the text about a file contains these words.
#[track_caller]
pub fn reports(text: &str, file: impl AsRef<Path>) {
    let (sh, file) = (crate::tool_shell(), file.as_ref());
    cmd!(sh, "statictramp audit {file}").ended().at_most(1).has(text);
}

/// Checks that the text about a file does not contain these words.
#[track_caller]
pub fn omits(text: &str, file: impl AsRef<Path>) {
    let (sh, file) = (crate::tool_shell(), file.as_ref());
    cmd!(sh, "statictramp audit {file}").ended().at_most(1).lacks(text);
}

/// Checks that the text about a file does not match a regular expression.
#[track_caller]
pub fn omits_pattern(pattern: &str, file: impl AsRef<Path>) {
    let (sh, file) = (crate::tool_shell(), file.as_ref());
    cmd!(sh, "statictramp audit {file}").ended().at_most(1).matches_times(0, pattern);
}
