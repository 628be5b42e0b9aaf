//! The costs of creating, calling and freeing, compared with lower bounds and peers measured in the same run.
//!
//! `cargo bench -p statictramp-benches` measures the Rust interface in this process, and measures each peer that is built in
//! `target/bench/peers` in its own process. It prints the names of the missing peers. `tests/run bench` builds all
//! peers first. Both commands write `table.md` and `chart.svg` to `target/bench`.

mod functions;
mod peers;
mod report;
mod rust;

use criterion::Criterion;
use std::path::PathBuf;
use std::time::Duration;

/// Returns the path of `target/bench`, which is next to the profile directory that contains this program.
fn output() -> PathBuf {
    let program = std::env::current_exe().expect("a program knows its path");
    program.ancestors().nth(3).expect("target/release/deps/trampolines").join("bench")
}

/// Returns the settings. In tests the measurements are short, because tests only check that everything can be
/// measured.
fn settings() -> Criterion {
    let effort =
        std::env::var("STATICTRAMP_EFFORT").ok().and_then(|text| text.parse().ok()).unwrap_or(100u64);
    let (warm_up, measurement) = if effort < 100 { (20, 100) } else { (200, 800) };
    Criterion::default()
        .warm_up_time(Duration::from_millis(warm_up))
        .measurement_time(Duration::from_millis(measurement))
        .sample_size(if effort < 100 { 10 } else { 30 })
        .nresamples(if effort < 100 { 1_001 } else { 100_000 })
        .without_plots()
}

fn main() {
    let criterion = output().join("criterion");
    let _ = std::fs::remove_dir_all(&criterion); // the table contains only one run
    let mut c = settings().output_directory(&criterion).configure_from_args();
    rust::run(&mut c);
    functions::run(&mut c);
    let missing = peers::run(&mut c, &output().join("peers"));
    c.final_summary();
    report::write(&criterion, &output());
    for peer in missing {
        println!("not measured: {peer} (tests/run bench builds it)");
    }
}
