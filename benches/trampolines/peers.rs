//! Peers, which run in their own processes. They are C programs linked with the library in each way, with libffi, or
//! with the real runtimes of flang and GCC.
//!
//! A peer is a program, called as `peers/FILE CASE COUNT`, that performs an operation COUNT times and prints the number
//! of nanoseconds that this took.

use crate::functions;
use criterion::{Criterion, SamplingMode};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const ALL: &[&str] = &[
    "two RMWs",
    "malloc + free",
    "plain call",
    "call",
    "1024 plain targets at random",
    "1024 stubs at random",
    "fixed slot",
    "create + free",
    "create + call + free",
];
const SOME: &[&str] = &["call", "1024 stubs at random", "create + free", "create + call + free"];
const CHURN: &[&str] = &["churn, 50 % full", "churn, 99 % full", "churn, 99.9 % full"];
const RAW: &[&str] = &["call", "call, four arguments", "create + call + free"];
const HOST: &[&str] = &["host"];
const INTEGRATOR: &[&str] = &["integrator"];

/// (name in the table, file, cases)
pub const PEERS: &[(&str, &str, &[&[&str]])] = &[
    ("C, archive", "archive", &[ALL, CHURN]),
    ("C, dlopened library", "dlopened", &[ALL]),
    ("C, STATICTRAMP_REUSE=strict", "strict", &[SOME]),
    ("C, STATICTRAMP_LANDING_PADS=0", "no-landing-pads", &[SOME]),
    ("C, 65,536 slots", "many-slots", &[SOME, CHURN]),
    ("a closure, by a stub", "with-stubs", &[&["call", "create + call + free"]]),
    ("a closure, STATICTRAMP_ASM=none", "portable", &[&["call", "create + call + free"]]),
    ("C++ lower_bound", "lower_bound", &[&functions::NAMES]),
    ("libffi", "libffi", &[RAW]),
    ("C, raw", "raw", &[RAW]),
    ("flang's stack", "flang-stack", &[HOST]),
    ("flang's own pool", "flang-pool", &[HOST]),
    ("statictramp under flang", "flang-statictramp", &[HOST]),
    ("statictramp by the plugin, flang", "flang-plugin", &[HOST]),
    ("gcc's stack", "gcc-stack", &[HOST]),
    ("gcc's own heap", "gcc-heap", &[HOST]),
    ("statictramp under gcc", "gcc-statictramp", &[HOST]),
    ("flang 19's stack", "flang-19-stack", &[INTEGRATOR]),
    ("statictramp by the plugin, flang 19", "flang-19-plugin", &[INTEGRATOR]),
    ("flang 23's stack", "flang-23-stack", &[INTEGRATOR]),
    ("flang 23's own pool", "flang-23-pool", &[INTEGRATOR]),
    ("statictramp under flang 23", "flang-23-statictramp", &[INTEGRATOR]),
    ("statictramp by the plugin, flang 23", "flang-23-plugin", &[INTEGRATOR]),
];

/// Returns the number of nanoseconds that a peer took.
fn took(program: &Path, case: &str, count: u64) -> Duration {
    let output = Command::new(program).args([case, &count.to_string()]).output();
    let output = output.unwrap_or_else(|why| panic!("{}: {why}", program.display()));
    let printed = String::from_utf8_lossy(&output.stdout);
    let nanoseconds = printed.trim().parse();
    Duration::from_nanos(nanoseconds.unwrap_or_else(|_| {
        panic!("{} \"{case}\" {count} printed \"{printed}\" and {:?}", program.display(), output.stderr)
    }))
}

/// Measures the peers that exist, and returns the names of the missing peers.
pub fn run(c: &mut Criterion, directory: &Path) -> Vec<&'static str> {
    let mut missing = Vec::new();
    for (name, file, cases) in PEERS {
        let program = directory.join(file);
        if !program.exists() {
            missing.push(*name);
            continue;
        }
        let mut group = c.benchmark_group(*name);
        group.sampling_mode(SamplingMode::Flat);
        for case in cases.concat() {
            // The number of repetitions is always so large that the cost of starting the clock is negligible.
            group.bench_function(case, |b| {
                b.iter_custom(|count| took(&program, case, count * 1000) / 1000);
            });
        }
        group.finish();
    }
    missing
}
