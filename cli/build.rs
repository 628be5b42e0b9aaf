//! Links the tool with the script that gives the slots pages of their own.

use std::env;

fn main() {
    let script = format!("{}/../linker/statictramp.ld", env::var("CARGO_MANIFEST_DIR").unwrap());
    println!("cargo:rerun-if-changed={script}");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-link-arg-bins=-Wl,-T,{script}");
    }
}
