//! Linker flags: the library's constructor runs before the constructors of all other libraries, and its relocations are
//! read-only.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" && target("ARCH") == "x86_64" {
        for flag in ["-z,initfirst", "-z,now", "-z,nodelete", "-T,statictramp.ld"] {
            println!("cargo:rustc-link-arg-cdylib=-Wl,{flag}");
        }
    }
}
