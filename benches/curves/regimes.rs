//! The table of regimes: how many times faster this library is than the fastest other implementation in each
//! regime.

use super::chart::{Chart, thousands};
use std::fmt::Write;

/// The regimes. Each consists of a chart and points on the chart's axis.
const REGIMES: [(&str, &[u32]); 9] = [
    ("create", &[1, 4096, 65536, 1_048_576]),
    ("call", &[1, 4096, 16384, 65536, 1_048_576]),
    ("free", &[1, 4096, 65536, 1_048_576]),
    ("callees", &[1, 8, 64, 1000]),
    ("both", &[64]),
    ("sixty-four", &[1, 8, 64, 1000]),
    ("threads", &[1, 64]),
    ("fullness", &[1, 1023]),
    ("depth", &[1, 64, 4096]),
];

/// Returns the table. Its last row contains the smallest number.
pub fn table(charts: &[Chart]) -> String {
    let mut text = String::from(
        "**Regimes** (ns, and how many times as fast as the fastest other implementation)\n\n\
         | regime | at | statictramp | the fastest other | times as fast |\n|---|---|---|---|---|\n",
    );
    let mut smallest = f64::MAX;
    for (file, xs) in REGIMES {
        let Some(chart) = charts.iter().find(|chart| chart.file == file) else { continue };
        for &x in xs {
            let at = |points: &[(u32, f64)]| points.iter().find(|&&(point, _)| point == x).map(|&(_, y)| y);
            let values = chart.lines.iter().filter_map(|(name, points)| Some((*name, at(points)?)));
            // malloc + free is only a lower bound, because memory from malloc cannot be called.
            let (ours, others): (Vec<_>, Vec<_>) = values
                .filter(|(name, _)| !name.starts_with("malloc"))
                .partition(|(name, _)| name.starts_with("statictramp"));
            let Some(&(_, ours)) = ours.first() else { continue };
            let Some((name, best)) = others.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
            let times = best / ours;
            smallest = smallest.min(times);
            let (at, axis) = (thousands(x), chart.axis);
            writeln!(text, "| {file} | {at} {axis} | {ours:.1} | {name} {best:.1} | {times:.1} |").unwrap();
        }
    }
    writeln!(text, "| the smallest | | | | {smallest:.1} |\n").unwrap();
    text
}
