//! The memory of each board, for the start-up's linker script.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=BOARD");
    let board = env::var("BOARD").expect("BOARD is the name of a file in boards/");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    println!("cargo:rerun-if-changed=boards/{board}.x");
    fs::copy(format!("boards/{board}.x"), out.join("memory.x")).expect("boards/BOARD.x");
    println!("cargo:rustc-link-search={}", out.display());
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch.starts_with("riscv")) {
        println!("cargo:rustc-link-arg-bins=-Tmemory.x"); // riscv-rt's script does not include it
    }
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
}
