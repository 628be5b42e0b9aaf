//! `stated PAGE ROW`: checks that a table on a page contains the measured numbers. The row is found by the cells
//! before its first cell with a number; a cell `?` was not measured.
//!
//! Another compiler release changes sizes by a few bytes. A stated number may therefore differ from the measured one by
//! 1 %, or by 16 if that is more; a number up to 64 must be exact. If `STATICTRAMP_WRITE_SIZES` is set, the measured
//! numbers are written to the page instead. The caller must lock the page, to which two parts of a leg may write.

use crate::{Outcome, regex, usage};
use std::fs::File;
use std::io::{Read, Seek, Write};

pub fn run(arguments: &[&str]) -> Outcome {
    let [page, row] = arguments else { return Err(usage("PAGE ROW")) };
    let io = |why: std::io::Error| format!("{page}: {why}");
    let mut file = File::options().read(true).write(true).open(page).map_err(io)?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(io)?;

    let wanted = cells(row);
    let is_row = |line: &&str| {
        let found = cells(line);
        line.starts_with('|') && found.len() == wanted.len() && key(&found) == key(&wanted)
    };
    let rows: Vec<&str> = text.split_inclusive('\n').filter(is_row).collect();
    let [stated] = rows[..] else {
        return Err(format!("{page} has {} rows for: {row}", if rows.is_empty() { "no" } else { "several" }));
    };
    let merged: Vec<String> = wanted
        .iter()
        .zip(cells(stated))
        .map(|(wanted, stated)| if wanted == "?" { stated } else { wanted.clone() })
        .collect();
    let measured = format!("| {} |\n", merged.join(" | "));
    if std::env::var_os("STATICTRAMP_WRITE_SIZES").is_some_and(|it| !it.is_empty()) {
        let text = text.replacen(stated, &measured, 1);
        file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
        return file.write_all(text.as_bytes()).map_err(io);
    }
    let (found, numbers) = (numbers(stated), numbers(&measured));
    let is_stated = |(number, stated): (&f64, &f64)| (number - stated).abs() <= tolerance(*number);
    if found.len() < numbers.len() || !numbers.iter().zip(&found).all(is_stated) {
        return Err(format!("{page} states other numbers: {stated}measured: {measured}"));
    }
    Ok(())
}

fn tolerance(number: f64) -> f64 {
    match number {
        ..=64.0 => 0.0,
        _ => (number / 100.0).max(16.0),
    }
}

fn numbers(line: &str) -> Vec<f64> {
    regex(r"\d+").find_iter(line).filter_map(|it| it.as_str().parse().ok()).collect()
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|').trim_end_matches('|');
    line.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// Returns the cells before the first one with a measured number.
fn key(cells: &[String]) -> &[String] {
    let measured = regex(r"^(\d+( \+ \d+)?|\?)$");
    let end = cells.iter().position(|cell| measured.is_match(cell));
    &cells[..end.unwrap_or(cells.len())]
}
