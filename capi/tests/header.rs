//! Checks that the header in `include/` is the one that cbindgen makes from the sources.
//!
//! `STATICTRAMP_WRITE_HEADER=1 cargo test -p statictramp-capi` writes the header again.

#[path = "../../tests/common/c_header.rs"]
mod c_header;

use std::{fs, path::Path};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `statictramp_leaf` and `statictramp_struct` refer to each other, so the second has a tag. cbindgen cannot give a tag to
/// only one type.
fn with_tag(text: String) -> String {
    let Some(end) = text.find("} statictramp_struct;") else { return text };
    let start = text[..end].rfind("typedef struct {").expect("the definition");
    let text = format!(
        "{}typedef struct statictramp_struct {{{}",
        &text[..start],
        &text[start + "typedef struct {".len()..]
    );
    text.replacen("  const statictramp_struct *of;", "  const struct statictramp_struct *of;", 1)
}

#[test]
fn the_header_matches_the_sources() {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::generate_with_config(root(), config).unwrap().write(&mut made);
    c_header::assert_header_is(root(), "statictramp.h", with_tag(String::from_utf8(made).unwrap()));
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
