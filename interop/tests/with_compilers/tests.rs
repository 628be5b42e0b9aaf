//! Tests of the neighbours that run compilers. Each file is a leg, which installs the compilers.

mod descriptors;
mod openmp;

use std::path::{Path, PathBuf};
use test_tools::root;

fn programs(name: &str) -> PathBuf {
    root().join("interop/tests/programs").join(name)
}
