//! Imports that the check must report.

use super::Tree;

const HOUSE: &str = "belongs to another house";
const CRATE: &str = "belongs to another crate";
const IS_HIDDEN: &str = "is hidden";
const RUST: &str = "must end in .rs";
const COMPUTED: &str = "the name of an included file is computed";
const LOGIC: &str = "is logic, but this file only joins houses";

/// A file, its text, and the end of the error.
pub const PLANTED: &[(&str, &str, &str)] = &[
    // Dependencies, in all forms that Cargo accepts.
    ("Cargo.toml", "[dependencies]\nstatictramp-interop = { path = \"interop\" }", HOUSE),
    ("Cargo.toml", "[workspace.dependencies]\nstatictramp-interop = { path = \"interop\" }", HOUSE),
    ("Cargo.toml", "[package]\nbuild = \"interop/build.rs\"", HOUSE),
    ("Cargo.toml", "[patch.crates-io]\nlibc = { path = \"interop\" }", HOUSE),
    ("benches/Cargo.toml", "[dev-dependencies.statictramp-raw]\nversion = \"1\"\npath = \"../raw\"", HOUSE),
    ("tests/with_compilers/Cargo.toml", "[dependencies]\na.path = \"../../interop\"", HOUSE),
    ("raw/Cargo.toml", "[lib]\npath = \"../interop/src/lib.rs\"", HOUSE),
    ("raw/Cargo.toml", "[lib]\npath = \"../src/lib.rs\"", HOUSE),
    ("capi/Cargo.toml", "[dependencies]\na = { version = \"1\", path = \"../interop\" }", HOUSE),
    (
        "cli/Cargo.toml",
        "[target.'cfg(unix)'.dev-dependencies]\nstatictramp-raw = { path = \"../raw\" }",
        HOUSE,
    ),
    ("cli/Cargo.toml", "[build-dependencies]\nstatictramp-raw.path = \"../raw\"", HOUSE),
    ("cli/Cargo.toml", "[dependencies]\nstatictramp-raw.workspace = true", "must have a path"),
    ("cli/Cargo.toml", "[dependencies]\nstatictramp-raw = \"0.1\"", "must have a path"),
    (
        "cli/Cargo.toml",
        "[dependencies]\na = { package = \"statictramp-raw\", version = \"0.1\" }",
        "renames a crate",
    ),
    ("interop/Cargo.toml", "[dependencies]\na = { path = \"../flang/captures/src\" }", HOUSE),
    ("flang/Cargo.toml", "[[test]]\nname = \"a\"\npath = \"../../../a.rs\"", HOUSE),
    (
        "interop/Cargo.toml",
        "[dependencies]\nstatictramp = { path = \"..\", features = [\"__slot-extra\"] }",
        IS_HIDDEN,
    ),
    // Files that become part of a crate.
    ("build.rs", "#[path = \"interop/build.rs\"] mod a;", CRATE),
    ("src/lib.rs", "const A: &str = include_str!(\"../flang/src/names.rs\");", CRATE),
    ("src/lib.rs", "include!(\"../raw/src/call.rs\");", CRATE),
    ("src/lib.rs", "#[doc = include_str!(\"../cli/README.md\")] mod a {}", CRATE),
    ("src/lib.rs", "f!(include_bytes!(r\"\u{2e}./cli/README.md\"));", CRATE),
    ("src/lib.rs", "f!(include_bytes!(\"\\x2e./cli/README.md\"));", CRATE),
    ("src/lib.rs", "include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/cli/build.rs\"));", "is computed"),
    ("src/lib.rs", "include!(concat!(env!(\"OUT_DIR\"), \"/../../a.rs\"));", "is computed"),
    ("cli/src/lib.rs", "#[path = \"../emulate/src/report/mod.rs\"] mod a;", CRATE),
    ("cli/src/lib.rs", "#[cfg_attr(unix, path = \"../../interop/src/lib.rs\")] mod a;", CRATE),
    ("cli/src/lib.rs", "macro_rules! a { () => { #[path = \"../../interop/src/lib.rs\"] mod a; } }", CRATE),
    // Files that build scripts read or compile.
    ("build.rs", "fn a() { cc::Build::new().file(\"interop/tests/programs/values.c\"); }", HOUSE),
    ("build.rs", "fn a() { read(format!(\"{root}/interop/tests/programs/values.c\")); }", HOUSE),
    ("build.rs", "fn a() { read(root.join(\"interop/tests/programs\").join(name)); }", HOUSE),
    ("build.rs", "fn a() { read(root.join(\"flang\").join(name)); }", HOUSE),
    ("raw/build.rs", "fn a() { println!(\"cargo:rerun-if-changed=../interop/src/lib.rs\"); }", HOUSE),
    ("interop/build.rs", "fn a() { read(\"../raw/src/call.rs\"); }", HOUSE),
    // Crates.
    ("src/lib.rs", "use statictramp_interop::memref;", HOUSE),
    ("capi/src/lib.rs", "use statictramp_interop_capi as _;", HOUSE),
    ("capi/src/lib.rs", "extern crate statictramp_interop_capi;", HOUSE),
    ("interop/src/lib.rs", "fn a() { ::statictramp_raw::bind(); }", HOUSE),
    ("flang/src/lib.rs", "use test_tools::root;", HOUSE),
    ("cli/src/lib.rs", "use statictramp_captures::run;", HOUSE),
    ("capi/src/lib.rs", "f!(statictramp_interop::memref::bind);", HOUSE),
    // Hidden items.
    ("interop/src/lib.rs", "use statictramp::for_capi::host;", IS_HIDDEN),
    ("interop/src/lib.rs", "use statictramp::{bind, for_capi::{host as a}};", IS_HIDDEN),
    ("interop/src/lib.rs", "use statictramp::{__higher_ranked as a};", IS_HIDDEN),
    ("interop/src/lib.rs", "fn a() -> statictramp::for_raw::Kept { b() }", IS_HIDDEN),
    ("interop/src/lib.rs", "use statictramp as a; fn b() { a::pending_words(); }", IS_HIDDEN),
    ("interop/src/lib.rs", "extern crate statictramp as a; use a::for_capi as b;", IS_HIDDEN),
    ("interop/src/lib.rs", "pub mod a { pub use statictramp as b; } use a::b::for_capi;", IS_HIDDEN),
    ("interop/src/lib.rs", "use statictramp::Trampoline as A; fn b() { A::with_reclaim(); }", IS_HIDDEN),
    ("interop/src/lib.rs", "use statictramp::*;", "may import hidden items"),
    ("interop/src/lib.rs", "use statictramp_targets::{stub::{self, *}};", "may import hidden items"),
    ("interop/src/lib.rs", "f!(g(statictramp::ENCODING));", IS_HIDDEN),
    ("interop/capi/src/lib.rs", "use statictramp::for_capi::host;", IS_HIDDEN),
    (
        "cli/src/lib.rs",
        "use statictramp_interop::offload; fn a() { offload::checked_table(0, 0); }",
        IS_HIDDEN,
    ),
    ("cli/emulate/src/lib.rs", "statictramp::__processor!(begin);", IS_HIDDEN),
    // Files that join houses.
    ("cli/src/main.rs", "fn main() { if true {} }", LOGIC),
    ("cli/src/main.rs", "pub fn main_x() {}", LOGIC),
    ("cli/src/main.rs", "mod a; fn main() { a() }", LOGIC),
    ("cli/src/main.rs", "fn main() { a(|| b()) }", LOGIC),
    ("cli/src/main.rs", "fn main() { a(); b() }", LOGIC),
    ("cli/src/main.rs", "a! { fn b() {} }", LOGIC),
    ("cli/src/main.rs", "use statictramp_interop_capi::a;", HOUSE),
    ("capi/archive/src/lib.rs", "static X: u8 = 0;", LOGIC),
    ("capi/archive/src/lib.rs", "statictramp_capi::a!();", LOGIC),
    ("capi/archive/src/lib.rs", "__panic_handler!();", LOGIC),
    ("capi/archive/Cargo.toml", "[package]\nbuild = \"b.txt\"", RUST),
    ("capi/archive/Cargo.toml", "[lib]\npath = \"src/lib.txt\"", RUST),
    ("cli/Cargo.toml", "[[bin]]\nname = \"a\"\npath = \"a.txt\"", RUST),
    ("capi/archive/src/more.rs", "", "this crate joins houses, in one file"),
    ("capi/archive/build.rs", "fn main() {}", "this crate joins houses, in one file"),
    // Scripts.
    ("tests/legs/windows.sh", "source interop/tests/legs/parts/values.sh", HOUSE),
    ("tests/legs/cross.sh", "bash \"$PWD/flang/tests/legs/parts/projects.sh\" a", HOUSE),
    ("tests/legs/native.sh", "(cd interop && . tests/legs/parts/values.sh)", HOUSE),
    ("tests/legs/lib.sh", "sh \"$root\"/../x/interop/tests/legs/parts/values.sh", HOUSE),
    ("flang/tests/legs/flang.sh", "source interop/tests/legs/parts/values.sh", HOUSE),
    ("interop/tests/legs/mlir.sh", "source capi/tests/legs/parts/wrapper.sh", HOUSE),
    ("tests/legs/life.sh", "echo ' # ' && source interop/tests/legs/parts/values.sh", HOUSE),
    // C and assembly.
    (
        "capi/tests/programs/c/plain.c",
        "#include \"../../../../interop/tests/programs/openmp/entries.h\"",
        HOUSE,
    ),
    (
        "interop/tests/programs/mlir/results.c",
        "# include \"../../../../capi/tests/programs/c/entry_points.h\"",
        HOUSE,
    ),
    ("cli/tests/programs/dump/dumped.c", "#include \"entry_points.h\"", HOUSE),
    ("capi/tests/programs/c/plain.c", "#define F \"a.h\"\n#include F", COMPUTED),
    ("asm/table.S", "#define F \"a.h\"\n.incbin F", COMPUTED),
    ("asm/table.S", ".incbin \"flang/tests/programs/instances/look.c\"", HOUSE),
    ("flang/src/direct.cpp", "#include <tests/programs/openmp/entries.h>", HOUSE),
];

/// Checks that each planted import is reported.
pub fn check(tree: &mut Tree) -> Result<(), String> {
    for (file, text, expected) in PLANTED {
        let errors = tree.errors(file, text)?;
        if !errors.iter().any(|it| it.ends_with(expected)) {
            return Err(format!(
                "the check does not report {text:?} in {file}, so it proves nothing: {errors:?}"
            ));
        }
    }
    Ok(())
}
