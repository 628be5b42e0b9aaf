//! Writes the memory of each board, for the linker script of the start-up code.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=BOARD");
    println!("cargo:rerun-if-env-changed=LINKER");
    let board = env::var("BOARD").expect("BOARD is the name of a file in boards/");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    println!("cargo:rerun-if-changed=boards/{board}.x");
    fs::copy(format!("boards/{board}.x"), out.join("memory.x")).expect("boards/BOARD.x");
    println!("cargo:rustc-link-search={}", out.display());
    // cortex-m-rt's script includes memory.x; riscv-rt's does not; the handwritten start-up code has no other script.
    let scripts: &[&str] = match env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default().as_str() {
        "arm" => &["link.x"],
        "aarch64" => &["memory.x"],
        _ => &["memory.x", "link.x"],
    };
    for script in scripts {
        println!("cargo:rustc-link-arg-bins=-T{script}");
    }
    // The C library's archive, for the image with two copies.
    println!("cargo:rerun-if-env-changed=ARCHIVE");
    if let Ok(archive) = env::var("ARCHIVE") {
        println!("cargo:rustc-link-arg-bin=copies={archive}");
    }
    println!("cargo:rustc-check-cfg=cfg(armv6m, armv8m)");
    if env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv8m")) {
        println!("cargo:rustc-cfg=armv8m");
    }
    if env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv6m")) {
        println!("cargo:rustc-cfg=armv6m");
    }
}
