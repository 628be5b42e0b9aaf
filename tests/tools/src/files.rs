//! The checkout, directories for output, and the C library and Debian sid that a leg has prepared.

use crate::process::while_none_starts;
use crate::{Expect, Line, command, function, multi_line, printed};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// Returns the top of the checkout.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("tests/tools is two levels below the top").to_owned()
}

/// Returns a shell in the top directory of the checkout.
pub fn shell() -> Shell {
    let shell = Shell::new().expect("a shell");
    shell.change_dir(root());
    shell
}

/// Creates an empty directory below `target/`. Tests of one binary run concurrently, so each test uses its own
/// directory.
pub fn new_directory(name: &str) -> PathBuf {
    emptied(root().join("target").join(name))
}

/// Creates an empty directory in Debian sid.
pub fn new_sid_directory(name: &str) -> PathBuf {
    emptied(sid().join(name))
}

fn emptied(directory: PathBuf) -> PathBuf {
    if directory.exists() {
        let remove = if directory.is_dir() { std::fs::remove_dir_all } else { std::fs::remove_file };
        remove(&directory).unwrap_or_else(|why| panic!("{}: {why}", directory.display()));
    }
    std::fs::create_dir_all(&directory).unwrap_or_else(|why| panic!("{}: {why}", directory.display()));
    directory
}

/// Returns the text of a file. A relative path begins at the top of the checkout.
#[track_caller]
pub fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    let bytes = std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes a file, which may be a program, below directories that it creates if they are missing.
#[track_caller]
pub fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
    let path = path.as_ref();
    let written = std::fs::create_dir_all(path.parent().expect("a directory"));
    let written = written.and_then(|()| while_none_starts(|| std::fs::write(path, bytes)));
    written.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
}

/// Copies a file, which may be a program.
#[track_caller]
pub fn copy_file(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    let (from, to) = (from.as_ref(), to.as_ref());
    let copied = while_none_starts(|| std::fs::copy(from, to));
    copied.unwrap_or_else(|why| panic!("{} to {}: {why}", from.display(), to.display()));
}

/// Returns the files and directories in a directory, sorted by name.
#[track_caller]
pub fn files_in(directory: impl AsRef<Path>) -> Vec<PathBuf> {
    let directory = directory.as_ref();
    let entries = std::fs::read_dir(directory).unwrap_or_else(|why| panic!("{}: {why}", directory.display()));
    let mut files: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
    files.sort();
    files
}

/// Copies the regular files in a directory.
#[track_caller]
pub fn copy_files(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    for file in files_in(from).iter().filter(|it| it.is_file()) {
        copy_file(file, to.as_ref().join(file.file_name().expect("a name")));
    }
}

/// Returns the directory of the C library that the leg has installed by `build_capi`.
pub fn library() -> PathBuf {
    prepared("target/prefix/lib")
}

/// Returns the archive in [`library`].
pub fn library_archive() -> String {
    library().join("libstatictramp.a").display().to_string()
}

/// Returns a file or directory that the leg has made.
#[track_caller]
pub fn prepared(path: &str) -> PathBuf {
    let path = root().join(path);
    assert!(path.exists(), "{} is missing; run this test by tests/run", path.display());
    path
}

/// Copies the core with the member raw/ and the integration tests that every target runs, as a separate workspace.
#[track_caller]
pub fn copy_core_tests(directory: &str) {
    function(&format!("copy_core_tests {directory}")).passes();
}

/// Returns the directory of the Debian sid in which the leg has installed compilers by `need_sid`.
pub fn sid() -> PathBuf {
    let sid = root().join(".toolchains/sid");
    std::fs::canonicalize(&sid)
        .unwrap_or_else(|why| panic!("{}: {why}; run this test by tests/run", sid.display()))
}

/// Returns a command in a directory below [`sid`]. The words of the line contain no blanks.
#[track_caller]
pub fn in_sid(directory: &Path, line: &str) -> Line {
    let sid = sid();
    let inside = Path::new("/").join(directory.strip_prefix(&sid).expect("a directory of Debian sid"));
    let there = command("chroot").arg(sid).args(["env", "-C"]).arg(inside);
    there.arg("LC_ALL=C").args(line.split_whitespace())
}

/// Returns the stack permissions that a program requests.
#[track_caller]
pub fn stack_rights(file: impl AsRef<Path>) -> String {
    let file = file.as_ref();
    let shell = shell();
    let headers = cmd!(shell, "readelf -lW {file}").passes();
    let words = headers.text.lines().find(|it| it.contains("GNU_STACK"));
    words.and_then(|it| it.split_whitespace().nth(6)).unwrap_or_default().to_owned()
}

/// Returns a code block of the README or of a page of `docs/`; the first block in that language is 1.
/// `tests/programs/docs/pages.py` searches for the calls to this function.
#[track_caller]
pub fn doc_block(page: &str, language: &str, number: usize) -> String {
    let text = read(page);
    let start = format!("```{language}\n");
    let block = text.split(&start).nth(number).unwrap_or_else(|| panic!("{page} has no block {number}"));
    block.split("```").next().expect("a first part").to_owned()
}

/// Returns whether this user is root. Otherwise prints which tests are skipped.
pub fn is_root(what: &str) -> bool {
    let is_root = printed("id -u").trim() == "0";
    if !is_root {
        println!("not tried without root: {what}");
    }
    is_root
}

/// Sets the permissions of a file.
#[track_caller]
pub fn set_mode(path: impl AsRef<Path>, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("permissions");
}

/// Copies the shared libraries to a directory, under the names by which they are linked and loaded.
#[track_caller]
pub fn copy_shared_library(directory: impl AsRef<Path>) {
    for name in ["libstatictramp", "libstatictramp_core", "libstatictramp_runtime", "libstatictramp_interop"]
    {
        for name in [format!("{name}.so"), format!("{name}.so.0")] {
            copy_file(library().join(&name), directory.as_ref().join(&name));
        }
    }
}

/// Begins a package that the test completes, with the crate versions that are used here.
#[track_caller]
pub fn new_package(directory: &Path, name: &str, dependencies: &str) {
    std::fs::create_dir_all(directory).expect("a directory");
    copy_file(root().join("Cargo.lock"), directory.join("Cargo.lock"));
    let head = format!(
        "[workspace]\n[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\n"
    );
    write(directory.join("Cargo.toml"), head + dependencies);
}

/// Changes the workspace's version in a manifest, and its crates' versions in dependencies.
#[track_caller]
pub fn raise_version(manifest: impl AsRef<Path>, version: &str) {
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let text = text.replace("\nversion = \"0.1.0\"", &format!("\nversion = \"{version}\""));
    let dependency = multi_line(r#"(path = .*version = "=?)0\.1\.0""#);
    write(manifest, dependency.replace_all(&text, format!("${{1}}{version}\"")).as_bytes());
}
