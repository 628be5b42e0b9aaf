//! Links the tool with the script that gives the slots pages of their own; the linker finds it because statictramp's
//! build script has left it there.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-link-arg-bins=-Wl,-T,statictramp.ld");
    }
}
