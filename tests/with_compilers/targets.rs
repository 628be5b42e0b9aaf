//! Every target that rustc knows either has stubs and is listed in docs/targets.md, or has compiler-generated functions instead.

use std::collections::BTreeSet;
use std::process::Command;
use test_tools::{Expect, files_in, function, line, multi_line, new_directory, printed, read, root, share};

struct Script {
    program: std::path::PathBuf,
    out: std::path::PathBuf,
}

impl Script {
    fn new() -> Script {
        line!("cargo build --quiet -p statictramp").passes();
        let builds = files_in(root().join("target/debug/build")).into_iter();
        let programs = builds.filter(|it| {
            multi_line("^statictramp-[0-9a-f]{16}$").is_match(&it.file_name().unwrap().to_string_lossy())
        });
        let programs = programs.map(|it| it.join("build-script-build")).filter(|it| it.exists());
        let program =
            programs.max_by_key(|it| it.metadata().unwrap().modified().unwrap()).expect("a build script");
        Script { program, out: new_directory("core/targets") }
    }

    /// Returns whether the build script gives a target with these settings stubs, rather than compiler-generated
    /// functions. The script's environment contains only these settings and cargo's variables.
    #[track_caller]
    fn gives_stubs(&self, name: &str, settings: &[String]) -> bool {
        let mut script = Command::new("env");
        script.args(["-i", "CARGO_PKG_VERSION_MAJOR=0", "CARGO_PKG_VERSION_MINOR=1", "STATICTRAMP_ASM=rust"]);
        script.arg(format!("CARGO_MANIFEST_DIR={}", root().display()));
        script.arg(format!("OUT_DIR={}", self.out.display())).arg(format!("TARGET={name}"));
        script.args(settings).arg(&self.program).current_dir(root());
        script.passes().count("cargo::?rustc-cfg=portable") == 0
    }
}

/// Returns the settings of a rustc target.
fn settings(name: &str) -> Vec<String> {
    let setting = multi_line(r#"^target_(arch|os|env|abi|endian|pointer_width)="(.*)"$"#);
    let printed = printed(&format!("rustc --print cfg --target {name}"));
    setting
        .captures_iter(&printed)
        .map(|it| format!("CARGO_CFG_TARGET_{}={}", it[1].to_uppercase(), &it[2]))
        .collect()
}

#[test]
fn the_docs_list_exactly_the_targets_with_stubs() {
    let script = Script::new();
    let page = read("docs/targets.md");
    let table: String = page.lines().filter(|it| it.starts_with('|')).map(|it| format!("{it}\n")).collect();
    let names = multi_line("`([a-z0-9_.]*-[a-z0-9_.-]*)`");
    let documented: BTreeSet<String> = names.captures_iter(&table).map(|it| it[1].to_owned()).collect();
    let known: BTreeSet<String> = printed("rustc --print target-list").lines().map(str::to_owned).collect();
    let listed: BTreeSet<String> = documented.intersection(&known).cloned().collect();
    let accepted: BTreeSet<String> =
        known.iter().filter(|it| script.gives_stubs(it, &settings(it))).cloned().collect();
    assert!(
        listed == accepted,
        "docs/targets.md and the build differ: {:?}",
        listed.symmetric_difference(&accepted)
    );
    println!(
        "{} targets of {} have stubs and are listed; the others have functions in their place",
        accepted.len(),
        known.len()
    );

    // A file may describe any target, so the target's own settings decide.
    let arm = settings("armv7-unknown-linux-gnueabihf");
    assert!(
        script.gives_stubs("armv7-mine-linux-gnueabihf", &arm),
        "a custom target with the settings of armv7"
    );
    assert!(!script.gives_stubs("mine", &arm), "an Arm target with an unknown instruction set");
    let x86_64 = settings("x86_64-unknown-linux-gnu");
    assert!(script.gives_stubs("mine", &x86_64), "a custom target with the settings of x86-64");
    for invalid in
        ["CARGO_CFG_TARGET_POINTER_WIDTH=32", "CARGO_CFG_TARGET_ENDIAN=big", "CARGO_CFG_TARGET_ENV=uclibc"]
    {
        let settings = [&x86_64[..], &[invalid.to_owned()]].concat();
        assert!(
            !script.gives_stubs("x86_64-unknown-linux-gnu", &settings),
            "a target with {invalid} has stubs"
        );
    }

    let built: Vec<&String> = listed.iter().filter(|it| !it.contains("-gnuasan")).collect();
    for triple in built.iter().step_by((built.len() / share(20)).max(1)).take(share(20)) {
        let build = format!(
            "cross_cargo {triple} build -Zbuild-std=core -p statictramp --lib --no-default-features --features grow"
        );
        let build = function(&build).env("STATICTRAMP_ASM", "rust").env("STATICTRAMP_SLOTS", "64");
        build.env("target", "target/own-core").passes();
        println!("{triple}: built");
    }
}

#[test]
fn a32_stubs_are_rejected_in_thumb_mode_builds() {
    let build = function(
        "cross_cargo armv7-unknown-linux-gnueabihf build -p statictramp --lib --no-default-features",
    )
    .env("RUSTFLAGS", "-Ctarget-feature=+thumb-mode")
    .env("STATICTRAMP_ASM", "rust")
    .env("STATICTRAMP_SLOTS", "64")
    .env("target", "target/review-thumb");
    let wanted =
        "statictramp: this target's stubs are A32 code, and Rust's code is Thumb; leave thumb-mode out";
    assert_ne!(build.ended().has(wanted).status, 0);
}
