//! Checks that the header in `include/` is the one that cbindgen generates from the source code.
//!
//! `STATICTRAMP_WRITE_HEADER=1 cargo test -p statictramp-interop-capi` regenerates the header.

#[path = "../../../tests/common/c_header.rs"]
mod c_header;

use std::path::Path;

#[test]
fn the_header_matches_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
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
        builder = builder.with_src(root.join("src").join(module).with_extension("rs"));
    }
    // These are types of `statictramp-interop` that are also used in C.
    for module in ["offload/mod.rs", "descriptor/mod.rs", "descriptor/types.rs"] {
        builder = builder.with_src(root.join("../src").join(module));
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    c_header::assert_header_is(root, "statictramp_interop.h", String::from_utf8(made).unwrap());
}
