//! Decides whether the target has closures over memrefs: whether there is a file for its registers in
//! `src/memref/closure/`; and whether these take a vector each. And whether the pages are there, which the package lacks.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if Path::new("../docs/mlir.md").exists() {
        println!("cargo:rustc-cfg=pages");
    }
    if has_memref_closures() {
        println!("cargo:rustc-cfg=memref_closures");
        if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch != "riscv64") {
            println!("cargo:rustc-cfg=memref_vectors");
        }
    }
}

fn has_memref_closures() -> bool {
    let get = |name: &str| env::var(name).unwrap_or_default();
    // Stable compilers do not tell of RISC-V's extensions, but for those in the target's name.
    let has_doubles = || {
        get("CARGO_CFG_TARGET_FEATURE").split(',').any(|feature| feature == "d")
            || get("TARGET").starts_with("riscv64gc-")
    };
    let is_known = match get("CARGO_CFG_TARGET_ARCH").as_str() {
        "x86_64" | "aarch64" => get("CARGO_CFG_TARGET_ENDIAN") == "little",
        "riscv64" => has_doubles(),
        _ => false,
    };
    // loom's functions cannot be called by a stub.
    let is_loom = env::var_os("CARGO_CFG_LOOM").is_some();
    is_known
        && get("CARGO_CFG_TARGET_OS") == "linux"
        && get("CARGO_CFG_TARGET_POINTER_WIDTH") == "64"
        && !is_loom
}
