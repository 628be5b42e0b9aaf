//! Tests of the plugin, the rewriter and `statictramp captures` that run compilers. Each file is a part of the `flang` leg, which
//! installs the compilers, and builds the plugin for each of them.

mod builds;
#[path = "../../src/calls_not_kept/lines.rs"]
mod call_lines; // The plugin has no tests of its own, because they could not be linked without LLVM.
mod call_sites;
mod capture;
mod captures;
mod escapes;
mod generate;
mod instances;
mod ir;
mod mutate;
mod programs;
mod promises;
mod scratch;
mod suite;

use regex::Regex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock};
use test_tools::{Expect, in_sid, multi_line, new_sid_directory, read, root, sid, spawn};

/// The directory of all files that are compiled and run. It is in Debian sid, because flang 23 runs there.
static WORK: LazyLock<PathBuf> = LazyLock::new(|| sid().join("statictramp-flang"));

/// The supported versions of flang.
const VERSIONS: [u32; 3] = [19, 22, 23];

/// Defines a test for each supported flang: 19 and 22 of this Debian, and 23 of Debian sid.
macro_rules! for_each_flang {
    ($($function:ident),*) => {
        mod flang_19 { $(#[test] fn $function() { super::$function(19) })* }
        mod flang_22 { $(#[test] fn $function() { super::$function(22) })* }
        mod flang_23 { $(#[test] fn $function() { super::$function(23) })* }
    };
}
use for_each_flang;

/// Creates an empty directory below [`WORK`] for this test alone.
fn new_directory(name: &str) -> PathBuf {
    new_sid_directory(&format!("statictramp-flang/tests/{name}"))
}

/// Returns a directory of programs.
fn programs(name: &str) -> PathBuf {
    root().join("flang/tests/programs").join(name)
}

/// Returns the name of a file without its extension.
fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|it| it.to_str()).unwrap()
}

/// Returns the first capture group of each match of a regular expression.
fn groups(pattern: &str, text: &str) -> Vec<String> {
    multi_line(pattern).captures_iter(text).map(|it| it[1].to_owned()).collect()
}

/// Returns a command, whose words are separated by blanks, in a directory.
fn host(directory: &Path, line: &str) -> Command {
    let mut command = Command::from(test_tools::command(line));
    command.current_dir(directory);
    command
}

/// Returns a command as this version of flang runs it, in a directory below [`WORK`].
fn with_flang(version: u32, directory: &Path, words: &[&str]) -> Command {
    if version != 23 {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(directory);
        return command;
    }
    let sid = sid();
    let inside = |word: &str| word.replace(sid.to_str().unwrap(), "");
    in_sid(directory, "").args(words.iter().map(|word| inside(word))).into()
}

fn compiler(version: u32) -> String {
    if version == 19 { "flang-new-19".to_owned() } else { format!("flang-{version}") }
}

/// Returns a command that runs the compiler with these arguments, separated by blanks, in a directory below [`WORK`].
fn flang(version: u32, directory: &Path, arguments: &str) -> Command {
    let line = format!("{} {arguments} {}", compiler(version), libraries(version, arguments));
    with_flang(version, directory, &line.split_whitespace().collect::<Vec<_>>())
}

/// Returns the options for run-time libraries if these arguments link.
fn libraries(version: u32, arguments: &str) -> String {
    let links = !arguments.split_whitespace().any(|word| ["-c", "-S", "-E"].contains(&word));
    // LLVM 22's libomp cannot be installed together with LLVM 19's. The latter works as well.
    match version {
        19 if links => format!("-L{}/omp -L/usr/lib/llvm-19/lib", WORK.display()),
        22 if links => format!("-L{}/omp", WORK.display()),
        _ => String::new(),
    }
}

/// Returns a command that runs a program compiled by this flang. The kernel denies W+X memory to the program if it can.
fn run(version: u32, directory: &Path, program: &str) -> Command {
    let guard = std::env::var("guard").expect("the leg sets it, if only to nothing");
    unguarded(version, directory, &format!("{guard} {program}"))
}

/// Returns a command that runs a program compiled by this flang without the plugin.
fn unguarded(version: u32, directory: &Path, program: &str) -> Command {
    let command = with_flang(version, directory, &program.split_whitespace().collect::<Vec<_>>());
    let command = command.var("NO_STOP_MESSAGE", "1").var("OMP_NUM_THREADS", "4");
    command.var("LD_LIBRARY_PATH", "/usr/lib/llvm-19/lib:/usr/lib/llvm-23/lib")
}

/// Returns the compiler's option for the plugin.
fn plugin(version: u32) -> String {
    format!("-fpass-plugin={}/plugin-{version}/libstatictramp_flang.so", WORK.display())
}

/// Returns the C library's archive.
fn archive() -> String {
    WORK.join("libstatictramp.a").display().to_string()
}

/// Returns the object file that checks at the end of a program that no trampoline is live.
fn watch() -> String {
    WORK.join("watch.o").display().to_string()
}

/// Returns a command that runs the rewriter with arguments that are separated by blanks.
fn rewrite(directory: &Path, arguments: &str) -> Command {
    host(directory, &format!("{}/target/release/statictramp-rewrite {arguments}", root().display()))
}

/// Returns the standard output of a command, which must succeed.
#[track_caller]
fn stdout(command: Command) -> String {
    outputs(command).0
}

/// Returns standard output and standard error of a command, which must succeed.
#[track_caller]
fn outputs(mut command: Command) -> (String, String) {
    let child = spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let output = child.wait_with_output().expect("the output of a command");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (printed, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}: {printed}{errors}", output.status);
    (printed, errors)
}

/// Returns whether this flang builds the program. If this flang does not, a comment in the source states the reason.
fn builds(version: u32, source: &Path) -> bool {
    !multi_line(&format!("^! flang {version} does not build this: ")).is_match(&read(source))
}

/// Returns the programs that gfortran also compiles.
fn sources() -> Vec<PathBuf> {
    let directories = [root().join("tests/programs/fortran"), programs("compared")];
    let files = directories.iter().flat_map(test_tools::files_in);
    files.filter(|it| it.extension().is_some_and(|it| it == "f90")).collect()
}

/// Returns the copy of a program that flang 23 can read.
fn of_work(source: &Path) -> String {
    WORK.join(source.file_name().unwrap()).display().to_string()
}

/// Returns whether a program may end with live trampolines.
fn is_leaking(source: &Path) -> bool {
    read(source).contains("may end with live trampolines")
}

/// Returns the output of a program compiled by gfortran.
fn wanted(source: &Path) -> &'static str {
    static OUTPUTS: LazyLock<HashMap<PathBuf, OnceLock<String>>> =
        LazyLock::new(|| sources().into_iter().map(|source| (source, OnceLock::new())).collect());
    OUTPUTS[source].get_or_init(|| {
        let directory = new_directory(&format!("gfortran/{}", stem(source)));
        host(&directory, &format!("gfortran -fopenmp -w {} -o program", source.display())).passes();
        host(&directory, "./program").var("OMP_NUM_THREADS", "4").passes().text
    })
}

/// Checks that a command succeeds and prints this, apart from the number of blanks.
#[track_caller]
fn prints(wanted: &str, command: Command) {
    let squeezed = |text: &str| text.lines().map(|line| words(line) + "\n").collect::<String>();
    let ended = command.within(600).ended().ends(0);
    assert_eq!(squeezed(&ended.text), squeezed(wanted), "{ended}");
}

/// Runs a check for each item, two at a time.
fn in_parallel<T: Sync>(items: &[T], check: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    // Relaxed: only the counter is shared.
    let take = || items.get(next.fetch_add(1, Ordering::Relaxed));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = take() {
                    check(item);
                }
            });
        }
    });
}

/// Returns the first seed for random tests: the run's seed, or one that differs in each run.
fn first_seed() -> u64 {
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    test_tools::seed().map_or_else(now, |it| it.parse().expect("STATICTRAMP_SEED must be a number"))
}

/// Sets a variable of a command.
trait Variable: Sized {
    fn var(self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self;
}

impl Variable for Command {
    fn var(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Command {
        self.env(name, value);
        self
    }
}

/// Returns the words of a text, separated by single blanks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks that a message has one line.
#[track_caller]
fn has_one_line(ended: &test_tools::Ended) {
    assert!(ended.text.trim_end().lines().count() == 1, "the message has more than one line: {ended}");
}

/// Returns whether LLVM IR contains vectors of a type.
fn vectors_of(kind: &str, ir: &str) -> bool {
    multi_line(&format!("<[0-9]* x {kind}>")).is_match(ir)
}

/// The promise in LLVM IR that an argument is not captured: LLVM 22 and later spell it differently.
const PROMISE: &str = r"(?:nocapture|captures\(none\))";
