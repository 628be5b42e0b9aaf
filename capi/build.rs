//! Sets the cfgs of the target's row in the table of targets.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    statictramp_targets::Target::from_env().set_cfgs();
}
