//! The header in `include/` is what cbindgen makes of the sources.
//!
//! `STATICTRAMP_WRITE_HEADER=1 cargo test -p statictramp-capi` writes it anew.

use std::{env, fs, path::Path};

#[test]
fn the_header_is_what_the_sources_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::generate_with_config(root, config).unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();

    let header = root.join("include/statictramp.h");
    if env::var_os("STATICTRAMP_WRITE_HEADER").is_some() {
        fs::write(&header, &made).unwrap();
    }
    assert!(
        fs::read_to_string(&header).unwrap_or_default() == made,
        "include/statictramp.h is out of date; STATICTRAMP_WRITE_HEADER=1 writes it anew"
    );
}

#[test]
fn the_header_has_the_version_of_the_package() {
    let number = |part: &str| part.parse::<u32>().unwrap();
    let version = number(env!("CARGO_PKG_VERSION_MAJOR")) * 10_000
        + number(env!("CARGO_PKG_VERSION_MINOR")) * 100
        + number(env!("CARGO_PKG_VERSION_PATCH"));
    let config = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/cbindgen.toml")).unwrap();
    assert!(config.contains(&format!("#define STATICTRAMP_VERSION {version}\n")));
}
