//! Sets the cfgs of the target's row in the table of targets, and `pages` if the book's pages exist, which the
//! published package lacks. Fails in builds without stubs, except as a part of the C library, which reports them
//! itself.

use std::path::Path;
use std::{env, process};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if Path::new("../docs/compilers.md").exists() {
        println!("cargo:rustc-cfg=pages");
    }
    let target = statictramp_targets::Target::from_env();
    target.set_cfgs();
    if env::var_os("CARGO_FEATURE___FOR_CAPI").is_some() {
        return;
    }
    if let Some(why) = target.missing_stubs() {
        println!("cargo::error=statictramp-raw needs stubs, and {why}");
        process::exit(1);
    }
}
