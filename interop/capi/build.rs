//! Sets the cfgs of the target's row in the table of targets.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = statictramp_targets::Target::from_env();
    target.set_cfgs();
    target.set_memref_cfgs();
}
