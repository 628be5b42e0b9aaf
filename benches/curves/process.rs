//! Costs per process: the time of its first trampoline, its resident memory, and the size of its file.

use crate::{median, numbers, output};
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The name of each implementation, its programs `process-NAME` and (statically linked) `process-NAME-static`, and the
/// same programs without trampolines.
const VARIANTS: [(&str, &str, &str); 4] = [
    ("statictramp", "statictramp", "none"),
    ("flang 23: pool", "flang-pool", "none-sid"),
    ("GCC 16: heap", "gcc-heap", "none-sid"),
    ("libffi", "libffi", "none"),
];

/// Returns the memory of a process in KiB. Shared pages are divided by the number of processes that use them.
fn share_of_memory(process: u32) -> f64 {
    let text =
        std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).expect("the process is there");
    let line = text.lines().find(|line| line.starts_with("Pss:")).expect("the kernel counts shares");
    line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number")
}

/// Returns the KiB for each of `count` processes that hold 10 trampolines each.
fn memory(peers: &Path, program: &str, count: usize) -> f64 {
    let mut all: Vec<Child> = (0..count)
        .map(|_| {
            let mut command = Command::new(peers.join(program));
            command.args(["hold", "10"]).stdin(Stdio::piped()).stdout(Stdio::piped());
            command.spawn().expect("the program runs")
        })
        .collect();
    for child in &mut all {
        child
            .stdout
            .as_mut()
            .expect("piped")
            .read_exact(&mut [0])
            .expect("the program holds its trampolines");
    }
    // `sh` has replaced itself with the program by calling `exec`.
    let total: f64 = all.iter().map(|child| share_of_memory(child.id())).sum();
    for child in &mut all {
        drop(child.stdin.take());
        child.wait().expect("the program ends");
    }
    total / count as f64
}

/// Returns the size of a program's file in bytes.
fn size(peers: &Path, program: &str) -> f64 {
    let path = peers.join(program);
    let bytes = std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    // A script that runs a program contains the path of the program.
    let Some(words) = bytes.strip_prefix(b"#!/bin/sh\nexec chroot ") else { return bytes.len() as f64 };
    let file: String = String::from_utf8_lossy(words).split_whitespace().take(2).collect();
    std::fs::metadata(&file).unwrap_or_else(|why| panic!("{file}: {why}")).len() as f64
}

/// Returns a table of what trampolines add to the costs of each process.
pub fn table(peers: &Path, effort: usize) -> String {
    let count = (1000 * effort / 100).max(50);
    let mut text = format!(
        "| a process | first trampoline, µs | its page faults | KiB more for each of {count} that hold 10 | KB more of a program | of a static one |\n|---|---|---|---|---|---|\n"
    );
    for (name, program, without) in VARIANTS {
        let [program, without] = [program, without].map(|name| format!("process-{name}"));
        let runs: Vec<_> = (0..21).map(|_| numbers(&output(peers, &program, &["first"]))).collect();
        let of = |column: usize| median(&mut runs.iter().map(|run| run[column]).collect::<Vec<_>>());
        let more = |what: &dyn Fn(&str) -> f64| what(&program) - what(&without);
        let memory = more(&|program| memory(peers, program, count));
        let [shared, all] =
            ["", "-static"].map(|kind| more(&|program| size(peers, &format!("{program}{kind}"))) / 1000.0);
        writeln!(
            text,
            "| {name} | {:.0} | {:.0} | {memory:.1} | {shared:.1} | {all:.1} |",
            of(0) / 1000.0,
            of(1)
        )
        .unwrap();
    }
    text
}
