//! Emits the cfgs that depend on the target, as the core's build script does.

#[allow(dead_code, reason = "the rest assembles the core's stubs")]
#[path = "../build.rs"]
mod core;

fn main() {
    let target = core::Target::from_env();
    for (name, on) in target.cfgs() {
        if on {
            println!("cargo:rustc-cfg={name}");
        }
    }
}
