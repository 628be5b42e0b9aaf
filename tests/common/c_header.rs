//! Headers that cbindgen generates from a crate's source code. `STATICTRAMP_WRITE_HEADER=1` writes them.

use std::{env, fs, path::Path};

/// Converts the text that cbindgen writes only for C99 to the form that C89 and C++98 need.
fn as_old_c(text: String) -> String {
    text.replace("// __cplusplus", "/* __cplusplus */")
        .replace("// extern \"C\"", "/* extern \"C\" */")
        .replace(",\n} ", "\n} ")
}

/// Compares a header in the crate's `include/` with the output of cbindgen, or writes the header.
pub fn assert_header_is(root: &Path, header: &str, made: String) {
    let text = as_old_c(made);
    let path = root.join("include").join(header);
    if env::var_os("STATICTRAMP_WRITE_HEADER").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == text,
        "include/{header} is out of date; STATICTRAMP_WRITE_HEADER=1 writes it again"
    );
}
