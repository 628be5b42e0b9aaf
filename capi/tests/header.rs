//! Checks that the header in `include/` is the one that cbindgen generates from the source code.
//!
//! `STATICTRAMP_WRITE_HEADER=1 cargo test -p statictramp-capi` regenerates the header.

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

/// Moves the declarations that most programs need before all others, which cbindgen sorts by their kinds.
fn with_common_first(mut text: String) -> String {
    const COMMON: [&str; 9] = [
        "(*statictramp_fn)(",
        "int statictramp_rebind(",
        "int statictramp_free(",
        "(*statictramp_dead_call_handler)(",
        "void statictramp_on_dead_call(",
        "int statictramp_lookup(",
        "size_t statictramp_live(",
        "int statictramp_reserve(",
        "unsigned int statictramp_version(",
    ];
    const OPENING: &str = "#ifdef __cplusplus\nextern \"C\" {\n#endif // __cplusplus\n\n";
    assert!(text.contains(OPENING));
    let mut first = OPENING.to_owned();
    text = text.replacen(OPENING, "", 1);
    for name in COMMON {
        let at = text.find(name).expect("the declaration");
        let start = text[..at].rfind("\n/*\n").expect("the comment") + 1;
        let end = at + text[at..].find(";\n\n").expect("the end") + 3;
        first.extend(text.drain(start..end));
    }
    let start = text.find("\n/*\n").expect("the first comment") + 1;
    text.insert_str(start, &first);
    text
}

#[test]
fn the_header_matches_the_sources() {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::generate_with_config(root(), config).unwrap().write(&mut made);
    let text = with_common_first(with_tag(String::from_utf8(made).unwrap()));
    c_header::assert_header_is(root(), "statictramp.h", text);
}

#[test]
fn the_header_version_matches_the_package() {
    let number = |part: &str| part.parse::<u32>().unwrap();
    let version = number(env!("CARGO_PKG_VERSION_MAJOR")) * 10_000
        + number(env!("CARGO_PKG_VERSION_MINOR")) * 100
        + number(env!("CARGO_PKG_VERSION_PATCH"));
    let config = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/cbindgen.toml")).unwrap();
    assert!(config.contains(&format!("#define STATICTRAMP_VERSION {version}\n")));
}
