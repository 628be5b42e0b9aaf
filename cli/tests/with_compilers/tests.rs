//! Tests of the tool that run compilers and other programs. Each file is part of a leg that installs these programs.

mod audit;
mod audit_clear;
mod audit_files;
mod audit_formats;
mod audit_fuzz;
mod audit_hardening;
mod audit_more;
mod audit_odd;
mod audit_packages;
mod audit_proof;
mod audit_tables;
mod audit_wild;
mod conventions;
mod dump;
mod dump_fuzz;
mod dump_hostile;
mod emulate;
mod fuzzed;
mod windows;

use std::path::PathBuf;
use test_tools::{new_directory, root, shell};
use xshell::Shell;

/// Returns the tool, which the leg has built as a release.
fn tool() -> PathBuf {
    let tool = root().join("target/release/statictramp");
    assert!(tool.exists(), "{} is missing; run this test by tests/run", tool.display());
    tool
}

/// Returns the tool with debug assertions, which the leg has built.
fn debug_tool() -> PathBuf {
    let tool = root().join("target/debug/statictramp");
    assert!(tool.exists(), "{} is missing; run this test by tests/run", tool.display());
    tool
}

/// Returns a shell that finds the tool as `statictramp`.
fn tool_shell() -> Shell {
    let shell = shell();
    let path = std::env::var("PATH").expect("PATH");
    shell.set_var("PATH", format!("{}:{path}", tool().parent().expect("a directory").display()));
    shell
}

/// Returns a shell that finds the tool, and an empty directory below `target/`.
fn start(directory: &str) -> (Shell, PathBuf) {
    (tool_shell(), new_directory(directory))
}
