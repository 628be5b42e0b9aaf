//! Helpers of the tests that need compilers or other programs: a package `HOUSE/tests/with_compilers` in each house. A leg installs
//! the programs and runs the tests (`with_compilers` in `tests/legs/lib.sh`). If a program is missing, the test fails.
//!
//! Commands are written with `xshell::cmd!`, in a shell from [`shell`], and end as [`Ended`] describes:
//!
//! ```ignore
//! cmd!(sh, "gcc -O2 {source} -o {out}/program").passes();
//! cmd!(sh, "{out}/program --wrong").fails_with(2, "unknown option");
//! ```

pub mod archive;
pub mod bind;
mod command;
mod ended;
mod files;
mod machines;
mod process;

pub use command::{Line, command, function, printed, printed_by};
pub use ended::{Ended, Expect, Job, multi_line};
pub use files::{
    copy_core_tests, copy_file, copy_files, copy_shared_library, doc_block, files_in, in_sid, is_root,
    library, library_archive, new_directory, new_package, new_sid_directory, prepared, raise_version, read,
    root, set_mode, shell, sid, stack_rights, write,
};
pub use machines::{Machine, machines};
pub use process::{Process, spawn, wait_until};

/// Returns the percentage of the full length of long tests.
pub fn effort() -> usize {
    std::env::var("STATICTRAMP_EFFORT")
        .map_or(100, |it| it.parse().expect("STATICTRAMP_EFFORT must be a number"))
}

/// Returns `full`, reduced to the percentage in `STATICTRAMP_EFFORT`, and at least 1.
pub fn share(full: usize) -> usize {
    (full * effort() / 100).max(1)
}

/// Returns whether to run the test with this number: each at full effort, every `nth` in a short run.
pub fn one_of(nth: usize, number: usize) -> bool {
    effort() >= 100 || number.is_multiple_of(nth)
}

/// Returns the number from which random choices start, if the run specifies one.
pub fn seed() -> Option<String> {
    std::env::var("STATICTRAMP_SEED").ok().filter(|it| !it.is_empty())
}
