//! Tests of the tool that run compilers and other programs. Each file is a part of a leg, which installs these programs.

mod conventions;

use std::path::PathBuf;
use test_tools::root;

/// The tool, which the leg has built as a release.
fn tool() -> PathBuf {
    let tool = root().join("target/release/statictramp");
    assert!(tool.exists(), "{} is missing; run this test by tests/run", tool.display());
    tool
}
