//! The Rust interface: programs that must not compile fail with the right message, and the table that shows why no safe
//! caller can cause undefined behaviour (tests/proofs/SAFE.md) has exactly one line for each callable item.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use test_tools::{
    Ended, Expect, files_in, line, multi_line, new_directory, new_package, printed, read, root, write,
};

/// Returns the items of a crate that outside code can name, and the types among them that have parameters.
fn reachable(package: &str, features: &str, out: &Path, prefix: &str) -> (Vec<String>, Vec<String>) {
    // rustdoc's JSON is unstable.
    let doc = format!(
        "cargo rustdoc --quiet --offline -p {package} --lib {features} --target-dir {}/api --",
        out.display()
    );
    line!("RUSTC_BOOTSTRAP=1 {doc} -Zunstable-options --output-format json --document-hidden-items --cap-lints allow").passes();
    let json = File::open(out.join("api/doc").join(package.replace('-', "_") + ".json")).unwrap();
    let items = line!("target/test-tools/debug/test-tools api {}/generic", out.display())
        .input(json)
        .ended()
        .ends(0)
        .text;
    let generic = read(out.join("generic"));
    let lines = |text: &str| text.lines().map(|it| format!("{prefix}{it}")).collect();
    (lines(&items), lines(&generic))
}

#[test]
fn the_table_lists_each_item_that_safe_code_can_reach() {
    const { assert!(cfg!(target_arch = "x86_64"), "tests/proofs/SAFE.md lists the items of x86-64") };
    let out = root().join("target/review/rust");
    std::fs::create_dir_all(&out).unwrap();
    let (mut found, mut borrowing) =
        reachable("statictramp", "--features grow,scratch,__slot-extra", &out, "");
    for (package, features, prefix) in [
        ("statictramp-raw", "--features __for-capi", "statictramp_raw::"),
        ("statictramp-capi", "", "statictramp_capi::"),
        ("statictramp-interop", "", "statictramp_interop::"),
        ("statictramp-capture-rules", "", "statictramp_capture_rules::"),
    ] {
        let (items, generic) = reachable(package, features, &out, prefix);
        found.extend(items);
        borrowing.extend(generic);
    }
    let table = read("tests/proofs/SAFE.md");
    let rows = multi_line(r"^\| `([^`]*)` \| ..*\|$");
    let mut listed: Vec<String> = rows.captures_iter(&table).map(|it| it[1].to_owned()).collect();
    listed.sort();
    found.sort();
    assert!(
        found.len() > 200,
        "only {} items were found in rustdoc's JSON, expected more than 200",
        found.len()
    );
    let missing: Vec<_> = found.iter().filter(|it| !listed.contains(it)).collect();
    let unknown: Vec<_> = listed.iter().filter(|it| !found.contains(it)).collect();
    assert!(found == listed, "tests/proofs/SAFE.md lacks {missing:?}, and lists {unknown:?} or a line twice");
    // The row of every type that may borrow says what the drop check enforces.
    assert!(
        borrowing.len() > 20,
        "only {} types with parameters were found, expected more than 20",
        borrowing.len()
    );
    for of in borrowing {
        let row = format!(r"^\| `{}` \| .* \| ..* \|$", of.replace(['<', '>'], "."));
        assert!(
            multi_line(&row).is_match(&table),
            "tests/proofs/SAFE.md does not state what the drop check enforces for {of}"
        );
    }
    let tests = multi_line(r"`((?:(?:interop|raw)/)?(?:src|tests)/[a-z_/]*\.rs)`");
    for file in tests.captures_iter(&table) {
        assert!(
            root().join(&file[1]).exists(),
            "tests/proofs/SAFE.md names {}, which does not exist",
            &file[1]
        );
    }
}

/// The only other members that are Rust libraries are for this workspace's own use: the interop part of the C library (which exports only
/// C functions), the tool and its Fortran subcommand (which the tool's program calls), the plugin (for the rewriter), the table of
/// targets (for build scripts), and the test helpers.
#[test]
fn only_the_checked_libraries_have_a_rust_api() {
    let metadata = printed("cargo metadata --quiet --offline --no-deps --format-version 1");
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    let mut libraries = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        for target in package["targets"].as_array().unwrap() {
            for kind in target["crate_types"].as_array().unwrap() {
                if ["lib", "rlib", "dylib", "proc-macro"].contains(&kind.as_str().unwrap()) {
                    libraries.insert(package["name"].as_str().unwrap());
                }
            }
        }
    }
    let ends = [
        "",
        "-capi",
        "-capture-rules",
        "-captures",
        "-cli",
        "-flang",
        "-interop",
        "-interop-capi",
        "-raw",
        "-targets",
        "-test-tools",
    ];
    let named = ends.map(|end| format!("statictramp{end}"));
    assert!(libraries.iter().eq(named.iter()), "SAFE.md does not name these libraries: {libraries:?}");
    for library in ["targets/targets.rs", "flang/captures/src/lib.rs"] {
        assert!(
            read(library).contains("\n#![forbid(unsafe_code)]\n"),
            "SAFE.md does not list the items of {library}"
        );
    }
    let exported =
        |file: &str| read(file).lines().filter(|it| it.starts_with("pub")).collect::<Vec<_>>().join("\n");
    assert_eq!(
        exported("cli/src/lib.rs"),
        "pub mod fuzzed {\npub struct Subcommand {\npub fn main(others: &[Subcommand]) -> ExitCode {",
        "SAFE.md names only main"
    );
    assert_eq!(exported("interop/capi/src/lib.rs"), "", "SAFE.md names no item of interop/capi");
    assert_eq!(
        exported("flang/src/lib.rs"),
        "pub use file::rewrite_file;",
        "SAFE.md names only rewrite_file"
    );
}

struct Compiler {
    out: PathBuf,
    externs: Vec<String>,
}

impl Compiler {
    /// Builds the libraries that the programs use.
    fn new(name: &str) -> Compiler {
        let out = new_directory(&format!("review/rust-{name}"));
        let target = root().join("target/review/rust/target");
        let root = root();
        let root = root.display();
        let dependencies = format!(
            "statictramp = {{ path = \"{root}\" }}\nstatictramp-interop = {{ path = \"{root}/interop\" }}\n"
        );
        new_package(&out.join("program"), "refused", &dependencies);
        write(out.join("program/src/main.rs"), "fn main() {}\n");
        let build = line!("cargo build --quiet --offline --target-dir {} --manifest-path", target.display());
        build.arg(out.join("program/Cargo.toml")).passes();
        let newest = |library: &str| {
            let name = multi_line(&format!("^lib{library}-[0-9a-f]+.rlib$"));
            let files = files_in(target.join("debug/deps")).into_iter();
            let files = files.filter(|it| name.is_match(&it.file_name().unwrap().to_string_lossy()));
            let file = files.max_by_key(|it| it.metadata().unwrap().modified().unwrap());
            format!("{library}={}", file.expect("a library").display())
        };
        let mut externs = vec!["-L".to_owned(), format!("dependency={}/debug/deps", target.display())];
        for library in ["statictramp", "statictramp_interop"] {
            externs.extend(["--extern".to_owned(), newest(library)]);
        }
        Compiler { out, externs }
    }

    /// Compiles a program. Code must be generated, because conditions on types are evaluated only then.
    #[track_caller]
    fn compile(&self, edition: &str, program: &Path, more: &str) -> Ended {
        let compile = line!("rustc --edition {edition} {more}");
        compile.args(&self.externs).arg("-o").arg(self.out.join("program/compiled")).arg(program).ended()
    }
}

#[test]
fn invalid_programs_are_rejected_for_the_right_reason() {
    let compiler = Compiler::new("rejected");
    let programs = files_in(root().join("tests/programs/rust/rejected"));
    assert!(programs.len() >= 5, "{programs:?}");
    for program in programs {
        let text = read(&program);
        let wanted = text.lines().next().and_then(|it| it.strip_prefix("//! says: "));
        let wanted =
            wanted.unwrap_or_else(|| panic!("{} does not state the expected message", program.display()));
        let ended = compiler.compile("2024", &program, "");
        assert!(ended.status != 0, "{} compiles, but the compiler must reject it", program.display());
        let messages =
            ended.text.split([' ', '\n', '|']).filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
        assert!(messages.contains(wanted), "not rejected for \"{wanted}\": {ended}");
    }
}

/// In edition 2021, a temporary guard would be dropped after its closure.
#[test]
fn temporary_guards_are_rejected_in_edition_2021() {
    let compiler = Compiler::new("editions");
    let programs = files_in(root().join("tests/programs/rust/edition_2021"));
    assert!(programs.len() >= 3, "{programs:?}");
    for program in programs {
        let ended = compiler.compile("2021", &program, "");
        assert!(ended.status != 0, "edition 2021 accepts {}", program.display());
        ended.has("error[E0597]: `closure` does not live long enough");
        compiler.compile("2024", &program, "").ends(0);
        compiler.compile("2021", &program, "--cfg remedy").ends(0);
        line!("{}/program/compiled", compiler.out.display()).passes();
    }
}
