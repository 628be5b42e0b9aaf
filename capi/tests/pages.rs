//! The manual pages in `install/man/` are the templates in `man/`, filled with the comments and declarations of the header.
//!
//! `STATICTRAMP_WRITE_HEADER=1 cargo test -p statictramp-capi` regenerates them.

#[path = "../../tests/common/manual/mod.rs"]
mod manual;

use manual::{Headers, assert_pages_match};
use std::{fs, path::Path};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn headers() -> Headers {
    Headers::read(root(), &["statictramp.h"])
}

#[test]
fn the_manual_pages_match_the_templates_and_the_header() {
    assert_pages_match(root(), "capi", &headers(), 10);
}

/// Each comment on a function in the header appears in full on some page.
#[test]
fn every_function_comment_is_in_a_manual_page() {
    let mut commands = String::new();
    for file in fs::read_dir(root().join("man")).unwrap() {
        commands.push_str(&fs::read_to_string(file.unwrap().path()).unwrap());
    }
    let has = |directive: &str, name: &str| commands.contains(&format!("@{directive} {name}\n"));
    for entry in headers().functions() {
        let returns = entry.paragraphs.iter().any(|text| text.starts_with("Returns"));
        let parts = has("DOC", &entry.name) && (!returns || has("RETURNS", &entry.name));
        assert!(parts || has("ITEM", &entry.name), "no page has the whole comment of {}", entry.name);
    }
}
