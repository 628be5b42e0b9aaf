//! Emits up to four cfgs. `memref_closures` states that the target has closures over memrefs. This requires that the
//! processor's `registers.rs` in the core contains the lists and instructions. `memref_vectors` and `memref_halves`
//! state that the closures support vectors and 16-bit floating-point numbers. `pages` states that the book's pages
//! exist, which are missing from the published package.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if Path::new("../docs/mlir.md").exists() {
        println!("cargo:rustc-cfg=pages");
    }
    if has_memref_closures() {
        println!("cargo:rustc-cfg=memref_closures");
        match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
            Ok("x86_64" | "aarch64") => {
                println!("cargo:rustc-cfg=memref_vectors\ncargo:rustc-cfg=memref_halves")
            }
            Ok("riscv64") => println!("cargo:rustc-cfg=memref_halves"),
            _ => {}
        }
    }
}

fn has_memref_closures() -> bool {
    let get = |name: &str| env::var(name).unwrap_or_default();
    // Stable compilers report RISC-V's extensions only in the name of the target.
    let has_doubles = || {
        get("CARGO_CFG_TARGET_FEATURE").split(',').any(|feature| feature == "d")
            || get("TARGET").starts_with("riscv64gc-")
    };
    let is_known = match get("CARGO_CFG_TARGET_ARCH").as_str() {
        "x86_64" | "aarch64" | "powerpc64" => get("CARGO_CFG_TARGET_ENDIAN") == "little",
        "riscv64" => has_doubles(),
        "loongarch64" | "s390x" => true,
        _ => false,
    };
    // Under loom there are no closures over memrefs, because a stub cannot call functions that use loom.
    let is_loom = env::var_os("CARGO_CFG_LOOM").is_some();
    is_known
        && get("CARGO_CFG_TARGET_OS") == "linux"
        && get("CARGO_CFG_TARGET_POINTER_WIDTH") == "64"
        && !is_loom
}
