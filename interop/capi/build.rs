//! Sets the cfgs of memref closures, for targets that have them.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    statictramp_targets::Target::from_env().set_memref_cfgs();
}
