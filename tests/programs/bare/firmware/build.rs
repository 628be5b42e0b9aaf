//! Links with the scripts of cortex-m-rt and defmt, and the memory of a board.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=LINKER");
    println!("cargo:rerun-if-changed=../boards/mps2-an385.x");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    fs::copy("../boards/mps2-an385.x", out.join("memory.x")).expect("the board's memory");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-arg=-Tlink.x");
    println!("cargo:rustc-link-arg=-Tdefmt.x");
}
