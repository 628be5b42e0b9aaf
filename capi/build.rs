//! Links the shared library with the script that gives the slots pages of their own.

use std::env;

fn main() {
    let script = format!("{}/../linker/statictramp.ld", env::var("CARGO_MANIFEST_DIR").unwrap());
    println!("cargo:rerun-if-changed={script}");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-link-arg-cdylib=-Wl,-T,{script}");
        println!("cargo:rustc-link-arg-cdylib=-Wl,-soname,libstatictramp.so.0");
        // A trampoline may outlive every handle on the library, so it is never unloaded.
        println!("cargo:rustc-link-arg-cdylib=-Wl,-z,nodelete");
    }
}
