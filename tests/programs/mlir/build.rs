//! Links with the objects, libraries and other arguments listed in OBJECTS. Links again when one of them has changed.

fn main() {
    println!("cargo:rerun-if-env-changed=OBJECTS");
    for object in std::env::var("OBJECTS").expect("OBJECTS is what to link with").split_whitespace() {
        println!("cargo:rustc-link-arg={object}");
        if std::path::Path::new(object).exists() {
            println!("cargo:rerun-if-changed={object}");
        }
    }
}
