//! The times of the slowest creations.

use crate::{median, numbers, output};
use std::fmt::Write;
use std::path::Path;

pub fn table(peers: &Path, effort: usize) -> String {
    let mut text = String::from(
        "| creations, ns | how many | half within | all but one in a thousand | the longest |\n|---|---|---|---|---|\n",
    );
    let count = (10_000_000 * effort / 100).max(3_000_000).to_string();
    let mut rows = |lines: &str| {
        for line in lines.lines() {
            writeln!(text, "| {} |", line.replace('\t', " | ")).unwrap();
        }
    };
    rows(&output(peers, "pauses", &["mix", &count]));
    writeln!(text, "\n| a full table of 65,536, ns | how many | half within | all but one in a thousand | the longest |\n|---|---|---|---|---|").unwrap();
    let mut rows = |lines: &str| {
        for line in lines.lines() {
            writeln!(text, "| {} |", line.replace('\t', " | ")).unwrap();
        }
    };
    rows(&output(peers, "pauses-65536", &["full"]));
    writeln!(text, "\n| the first growth, µs | median of 21 processes |\n|---|---|").unwrap();
    for (name, program) in [("a small program", "pauses"), ("100 MB, stripped", "pauses-100mb")] {
        let one = |_| numbers(output(peers, program, &["growth"]).trim_start_matches("growth"))[1];
        let mut all: Vec<f64> = (0..21).map(one).collect();
        writeln!(text, "| {name} | {:.0} |", median(&mut all) / 1000.0).unwrap();
    }
    text + "\n"
}
