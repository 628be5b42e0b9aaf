//! Checks that the headers in `include/` are those that cbindgen makes from the sources.
//!
//! `STATICTRAMP_WRITE_HEADER=1 cargo test -p statictramp-capi` writes the headers again.

use std::{env, fs, path::Path};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn config(name: &str) -> cbindgen::Config {
    cbindgen::Config::from_file(root().join(name)).unwrap()
}

/// Converts the text that cbindgen writes only for C99 to the form that C89 and C++98 need.
fn as_old_c(text: String) -> String {
    text.replace("// __cplusplus", "/* __cplusplus */")
        .replace("// extern \"C\"", "/* extern \"C\" */")
        .replace(",\n} ", "\n} ")
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

/// Compares a header with what cbindgen has made, or writes it.
fn assert_is(header: &str, made: cbindgen::Bindings) {
    let mut text = Vec::new();
    made.write(&mut text);
    let text = with_tag(as_old_c(String::from_utf8(text).unwrap()));
    let path = root().join("include").join(header);
    if env::var_os("STATICTRAMP_WRITE_HEADER").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == text,
        "include/{header} is out of date; STATICTRAMP_WRITE_HEADER=1 writes it again"
    );
}

#[test]
fn the_header_matches_the_sources() {
    assert_is("statictramp.h", cbindgen::generate_with_config(root(), config("cbindgen.toml")).unwrap());
}

#[test]
fn the_interop_header_matches_the_sources() {
    let mut builder = cbindgen::Builder::new().with_config(config("cbindgen-interop.toml"));
    for module in [
        "offload",
        "instances",
        "captures",
        "descriptors",
        "made",
        "deep",
        "memrefs",
        "memrefs_called",
        "memrefs_returned",
    ] {
        builder = builder.with_src(root().join("src/interop").join(module).with_extension("rs"));
    }
    // These are types of the member `interop` that are also used in C.
    for module in ["offload/mod.rs", "descriptor/mod.rs", "descriptor/types.rs"] {
        builder = builder.with_src(root().join("../interop/src").join(module));
    }
    assert_is("statictramp_interop.h", builder.generate().unwrap());
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
