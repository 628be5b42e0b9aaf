//! Sets the cfgs of the target's row in the table of targets. `pages` states that the book's pages exist, which are missing
//! from the published package.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if Path::new("../docs/compilers.md").exists() {
        println!("cargo:rustc-cfg=pages");
    }
    statictramp_targets::Target::from_env().set_cfgs();
}
