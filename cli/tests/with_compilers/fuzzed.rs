//! Fuzzing by libFuzzer with AddressSanitizer. Stable Rust with unstable flags is sufficient.

use std::path::{Path, PathBuf};
use test_tools::{Ended, Expect, root, seed, shell};
use xshell::cmd;

/// Builds the fuzzers of `cli/tests/fuzz`, and returns the directory of their programs.
pub fn build() -> PathBuf {
    let sh = shell();
    let flags = "-Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing";
    let (target, directory) = ("x86_64-unknown-linux-gnu", root().join("target/fuzz"));
    cmd!(
        sh,
        "cargo build --quiet --release --locked --target {target} --manifest-path cli/tests/fuzz/Cargo.toml"
    )
    .arg("--target-dir")
    .arg(&directory)
    .env("RUSTC_BOOTSTRAP", "1")
    .env("RUSTFLAGS", flags)
    .within(1800)
    .ended()
    .ends(0);
    directory.join(target).join("release")
}

/// Runs a fuzzer with options that are separated by blanks; its inputs are the seeds. Inputs on which it fails are
/// saved in files whose names begin with `failed`.
pub fn run(program: &Path, reader: &str, options: &str, failed: &Path, seeds: &Path) -> Ended {
    let sh = shell();
    let corpus = failed.with_extension("corpus");
    std::fs::create_dir_all(&corpus).expect("a directory");
    let prefix = format!("-artifact_prefix={}-", failed.display());
    let options = options.split(' ');
    let random = seed().map(|it| format!("-seed={it}"));
    let ended =
        cmd!(sh, "nice {program} {random...} {options...} -rss_limit_mb=1024 {prefix} {corpus} {seeds}")
            .env("READER", reader)
            .env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=0")
            .within(7200)
            .ended()
            .ends(0);
    eprintln!("{reader}: {}", ended.text.lines().rfind(|it| it.contains("cov:")).unwrap_or_default());
    ended
}
