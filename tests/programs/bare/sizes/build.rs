//! Links with the script beside this.

fn main() {
    println!("cargo:rerun-if-changed=sizes.x");
    println!("cargo:rustc-link-arg=-Tsizes.x");
    println!("cargo:rustc-link-arg=--build-id=none");
}
