//! Tests of the neighbours that run compilers. Each file is a leg, which installs the compilers.

mod descriptors;
mod openmp;

use std::path::{Path, PathBuf};
use std::process::Command;
use test_tools::root;

/// A command, whose words are separated by blanks, at the top of the checkout.
fn host(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words).current_dir(root());
    command
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// The C library's archive.
fn archive() -> String {
    test_tools::library().join("libstatictramp.a").display().to_string()
}

fn programs(name: &str) -> PathBuf {
    root().join("interop/tests/programs").join(name)
}
