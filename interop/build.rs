//! Emits the cfgs for memref closures on targets that support them: `memref_closures`, and `memref_vectors` and
//! `memref_halves` if the closures support vectors and 16-bit floating-point numbers. Also emits `pages` if the book's
//! pages exist, which are missing from the published package.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if Path::new("../docs/mlir.md").exists() {
        println!("cargo:rustc-cfg=pages");
    }
    statictramp_targets::Target::from_env().set_memref_cfgs();
}
