//! Creates the table and the chart of one run from criterion's files.

use crate::{functions, peers::PEERS, rust::HERE};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The rows of the table. The columns are the measured implementations.
const ROWS: &[&str] = &[
    "two RMWs",
    "malloc + free",
    "Mutex<Vec>: pop + push",
    "plain call",
    "call",
    "call, four arguments",
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

/// Programs from compilers. Each has its own table.
const PROGRAMS: [(&str, &str); 2] = [
    ("host", "a host that makes, calls once and frees"),
    ("integrator", "an integrator: a recursive host whose procedure is handed on twice and called six times"),
];

/// The rows of the chart, which show each compiler or language next to its competitors.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Rust", &["Rust", "a closure, by a stub", "a closure, STATICTRAMP_ASM=none", "closure-ffi 4"]),
    (
        "C",
        &[
            "C, archive",
            "C, STATICTRAMP_LANDING_PADS=0",
            "C, dlopened library",
            "C, STATICTRAMP_REUSE=strict",
        ],
    ),
    ("signatures known at run time", &["C, raw", "libffi"]),
    (
        "flang 23",
        &["statictramp under flang", "statictramp by the plugin, flang", "flang's own pool", "flang's stack"],
    ),
    ("GCC 16", &["statictramp under gcc", "gcc's own heap", "gcc's stack"]),
];

/// Returns the median of a benchmark in nanoseconds, if the benchmark ran.
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
    // The measured rows and columns.
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

    let groups = GROUPS.map(|(title, names)| {
        let point = |name: &&'static str| {
            Some((*name, value(name, "host").or_else(|| value(name, "create + call + free"))?))
        };
        (title, names.iter().filter_map(point).collect::<Vec<_>>())
    });
    fs::create_dir_all(output).expect("target/bench can be made");
    fs::write(output.join("table.md"), table).expect("target/bench can be written");
    fs::write(output.join("chart.svg"), chart(&groups)).expect("target/bench can be written");
}

/// Draws points on a logarithmic axis that begins at 1 ns. Points are used instead of bars, because the lengths of bars
/// on a logarithmic axis cannot be compared.
fn chart(groups: &[(&str, Vec<(&str, f64)>)]) -> String {
    const DECADE: f64 = 140.0;
    const STEP: f64 = 22.0;
    const TOP: f64 = 54.0;
    let points: Vec<_> = groups.iter().flat_map(|(_, points)| points).collect();
    // No 13-pixel sans-serif font has a greater average width.
    let left = 20.0 + 8.1 * points.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) as f64;
    let decades = points.iter().map(|(_, ns)| ns.log10().ceil()).fold(3.0, f64::max);
    let x = |ns: f64| left + DECADE * ns.max(1.0).log10();
    let (right, bottom) = (left + DECADE * decades, TOP + STEP * (groups.len() + points.len()) as f64);
    let (width, height) = (right + 60.0, bottom + 26.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>Nanoseconds to make, call once and free a trampoline</title>\n\
         <style>.page{{fill:#fff}}text{{fill:#222}}.grid{{stroke:#ccc}}.ours{{fill:#1b7f5c}}.others{{fill:#c2571a}}\
         @media(prefers-color-scheme:dark){{.page{{fill:#15191e}}text{{fill:#e4e4e4}}.grid{{stroke:#444}}.ours{{fill:#4fc79b}}.others{{fill:#f0945a}}}}</style>\n\
         <rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n\
         <text x=\"10\" y=\"20\" font-weight=\"bold\">make, call once and free a trampoline: nanoseconds, logarithmic axis</text>\n\
         <circle class=\"ours\" cx=\"16\" cy=\"38\" r=\"5\"/><text x=\"26\" y=\"42\">statictramp</text>\
         <circle class=\"others\" cx=\"126\" cy=\"38\" r=\"5\"/><text x=\"136\" y=\"42\">others</text>\n"
    );
    for decade in 0..=decades as i32 {
        let (ns, at) = (10f64.powi(decade), left + DECADE * f64::from(decade));
        writeln!(
            svg,
            "<path class=\"grid\" d=\"M{at} {TOP}V{bottom}\"/><text x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{ns}</text>",
            bottom + 16.0
        )
        .unwrap();
    }
    let mut rows = (0..).map(|row| TOP + STEP * (f64::from(row) + 0.5));
    for (title, points) in groups {
        let y = rows.next().unwrap_or(TOP) + 7.0;
        writeln!(svg, "<text x=\"10\" y=\"{y}\" font-weight=\"bold\">{title}</text>").unwrap();
        for ((name, ns), y) in points.iter().zip(&mut rows) {
            let at = x(*ns);
            let ours =
                ["Rust", "C, ", "a closure, ", "statictramp"].iter().any(|start| name.starts_with(start));
            writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text><path class=\"grid\" stroke-dasharray=\"1 4\" d=\"M{left} {y}H{right}\"/>\
                 <circle class=\"{}\" cx=\"{at:.1}\" cy=\"{y}\" r=\"5\"/><text x=\"{:.1}\" y=\"{}\">{ns:.1}</text>",
                left - 12.0,
                y + 4.5,
                if ours { "ours" } else { "others" },
                at + 9.0,
                y + 4.5
            )
            .unwrap();
        }
    }
    svg + "</svg>\n"
}
