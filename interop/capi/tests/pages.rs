//! The manual page in `install/man/` is the template in `man/`, filled with the declarations of the header.
//!
//! `STATICTRAMP_WRITE_HEADER=1 cargo test -p statictramp-interop-capi` regenerates it.

#[path = "../../../tests/common/manual/mod.rs"]
mod manual;

use manual::{Headers, assert_pages_match};
use std::path::Path;

#[test]
fn the_manual_page_matches_the_template_and_the_header() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let headers = Headers::read(root, &["statictramp_interop.h"]);
    assert_pages_match(root, "interop/capi", &headers, 1);
}
