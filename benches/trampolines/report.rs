//! The table and the chart of one run, from what criterion has written down.

use crate::{functions, peers::PEERS, rust::HERE};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Rows of the table; the columns are who was measured.
const ROWS: &[&str] = &[
    "two RMWs",
    "malloc + free",
    "Mutex<Vec>: pop + push",
    "plain call",
    "call",
    "call of a bound closure",
    "the same closure as Box<dyn Fn>",
    "1024 plain targets at random",
    "1024 stubs at random",
    "fixed slot",
    "create + free",
    "bind + drop",
    "create + call + free",
    "create + call + free, 16 held",
    "create 16, free 16, for each",
    "create + call + free, 1 threads",
    "create + call + free, 2 threads",
    "create + call + free, 4 threads",
    "create + call + free, 8 threads",
    "churn, 50 % full",
    "churn, 99 % full",
    "churn, 99.9 % full",
    "failed claim",
];

/// Programs of compilers, each with a table of its own.
const PROGRAMS: [(&str, &str); 2] = [
    ("host", "a host that makes, calls once and frees"),
    ("integrator", "an integrator: a recursive host whose procedure is handed on twice and called six times"),
];

/// The median of a bench in nanoseconds, if it ran.
fn median(criterion: &Path, column: &str, row: &str) -> Option<f64> {
    let safe = |name: &str| name.replace(['?', '"', '/', '\\', '*', '<', '>', ':', '|', '^'], "_");
    let file = criterion.join(safe(column)).join(safe(row)).join("new/estimates.json");
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(file).ok()?).ok()?;
    json["median"]["point_estimate"].as_f64()
}

/// Writes `table.md` and `chart.svg` and prints the table.
pub fn write(criterion: &Path, output: &Path) {
    let columns: Vec<&str> =
        [HERE, "closure-ffi 4"].into_iter().chain(PEERS.iter().map(|(name, ..)| *name)).collect();
    let value = |column: &str, row: &str| median(criterion, column, row);

    let mut table = String::new();
    // What was measured of rows and columns.
    let mut matrix = |title: &str, rows: &[&str], columns: &[&str]| {
        let measured = |column: &&str| rows.iter().any(|row| value(column, row).is_some());
        let columns: Vec<_> = columns.iter().copied().filter(measured).collect();
        writeln!(table, "| {title} | {} |\n|---|{}", columns.join(" | "), "---|".repeat(columns.len()))
            .unwrap();
        for row in rows.iter().filter(|row| columns.iter().any(|column| value(column, row).is_some())) {
            let cells = columns
                .iter()
                .map(|column| value(column, row).map_or(String::new(), |ns| format!("{ns:.1}")));
            writeln!(table, "| {row} | {} |", cells.collect::<Vec<_>>().join(" | ")).unwrap();
        }
        writeln!(table).unwrap();
    };
    matrix("ns, median", ROWS, &columns);
    matrix("a device's function, ns, median", &functions::NAMES, &functions::COLUMNS);
    for (row, title) in PROGRAMS {
        let of: Vec<_> = columns.iter().filter_map(|column| Some((column, value(column, row)?))).collect();
        if !of.is_empty() {
            writeln!(table, "| {title} | ns, median |\n|---|---|").unwrap();
        }
        for (column, ns) in of {
            writeln!(table, "| {column} | {ns:.1} |").unwrap();
        }
        writeln!(table).unwrap();
    }
    print!("\n{table}");

    let bars = columns.iter().filter_map(|column| {
        Some((*column, value(column, "host").or_else(|| value(column, "create + call + free"))?))
    });
    let bars: Vec<_> = bars.filter(|(name, _)| !name.ends_with("65,536 slots")).collect();
    fs::create_dir_all(output).expect("target/bench can be made");
    fs::write(output.join("table.md"), table).expect("target/bench can be written");
    fs::write(output.join("chart.svg"), chart(&bars)).expect("target/bench can be written");
}

/// Bars on a logarithmic scale, for 1 ns to 1 µs.
fn chart(bars: &[(&str, f64)]) -> String {
    const LEFT: f64 = 190.0;
    const WIDTH: f64 = 420.0;
    const STEP: f64 = 24.0;
    let x = |ns: f64| LEFT + WIDTH * (ns.max(1.0).log10() / 3.0);
    let bottom = 40.0 + STEP * bars.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"680\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"20\" font-weight=\"bold\">make, call once and free a trampoline: nanoseconds, logarithmic</text>\n",
        height = bottom + 24.0
    );
    for ns in [1, 10, 100, 1000] {
        let at = x(f64::from(ns));
        writeln!(svg, "<path d=\"M{at} 32V{bottom}\" stroke=\"#ccc\"/><text x=\"{at}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">{ns}</text>", bottom + 16.0).unwrap();
    }
    for (i, (name, ns)) in bars.iter().enumerate() {
        let (y, end) = (40.0 + STEP * i as f64, x(*ns));
        let ours = ["Rust", "C, ", "statictramp"].iter().any(|start| name.starts_with(start));
        let colour = if ours { "#2a7f62" } else { "#b5651d" };
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text><rect x=\"{LEFT}\" y=\"{y}\" width=\"{:.1}\" height=\"16\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{}\">{ns:.1}</text>",
            LEFT - 6.0, y + 13.0, end - LEFT, end + 5.0, y + 13.0
        )
        .unwrap();
    }
    svg + "</svg>\n"
}
