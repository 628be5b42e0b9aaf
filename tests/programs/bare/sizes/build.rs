//! Links with the script in this directory.

fn main() {
    println!("cargo:rerun-if-changed=sizes.x");
    println!("cargo:rustc-link-arg=-Tsizes.x");
    println!("cargo:rustc-link-arg=--build-id=none");
}
