//! Arbitrary bytes as a file for `audit`, with 1 GB of memory and five minutes for each file, because the tool reads debugging information
//! for up to 10 seconds and the machine may be shared. `FUZZ_SECONDS` sets another duration.

use crate::audit::positive;
use crate::audit_files::files;
use crate::audit_tables::tables;
use crate::fuzzed::{build, run};
use crate::start;
use std::path::Path;
use test_tools::{Expect, copy_file, effort, files_in, share};
use xshell::cmd;

#[test]
fn audit_accepts_arbitrary_bytes() {
    let (sh, out) = start("audit/fuzz");
    let seeds = out.join("seeds");
    std::fs::create_dir(&seeds).unwrap();
    // Debugging information with and without symbols, PE and Mach-O.
    let sources = "cli/tests/programs/audit";
    cmd!(sh, "gcc -O2 -g {sources}/nested.c -o {seeds}/lines").passes();
    cmd!(sh, "strip --strip-all --keep-section=.debug* {seeds}/lines -o {seeds}/lines-stripped").passes();
    cmd!(sh, "x86_64-w64-mingw32-gcc -O2 -DWITHOUT_MAIN -c {sources}/nested.c -o {seeds}/nested.obj")
        .passes();
    for target in ["x86_64-apple-macos11", "arm64-apple-macos11"] {
        cmd!(sh, "clang-22 -O2 -w --target={target} -c {sources}/trampoline.ll -o {seeds}/mach-{target}.o")
            .passes();
    }
    let mut inputs = files_in(files());
    inputs.extend(files_in(tables()));
    let of_compilers = files_in(positive());
    let is_chosen = |it: &&std::path::PathBuf| {
        let name = it.file_name().unwrap().to_string_lossy();
        name.starts_with("odd-") || name.ends_with("-O2.o")
    };
    inputs.extend(of_compilers.iter().filter(is_chosen).cloned());
    let is_small =
        |it: &Path| std::fs::metadata(it).is_ok_and(|it| it.is_file() && (1..64 << 10).contains(&it.len()));
    for input in inputs.iter().filter(|it| is_small(it)) {
        copy_file(input, seeds.join(input.file_name().unwrap()));
    }
    assert!(files_in(&seeds).len() > 30);
    // A short run is determined by its seed and not by the speed of the machine, because only a machine that is much slower than
    // others reaches the time limit.
    let seconds = std::env::var("FUZZ_SECONDS").unwrap_or_else(|_| share(3600).to_string());
    let runs = if effort() >= 100 { share(18_000_000) } else { share(18_000_000) / 8 };
    let limits = "-max_len=65536 -timeout=300 -malloc_limit_mb=512";
    let options = format!("-max_total_time={seconds} -runs={runs} {limits}");
    run(&build().join("fuzz-audit"), "audit", &options, &out.join("failed"), &seeds).has("Done ");
}
