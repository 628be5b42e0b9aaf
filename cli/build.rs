//! Links the tool with the linker script that places the slots in separate pages. The linker finds the script, because
//! the build script of statictramp has added the script's directory to the search path.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-link-arg-bins=-Wl,-T,statictramp.ld");
    }
}
