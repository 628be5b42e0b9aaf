//! A line chart on two logarithmic scales, and the same numbers as a table.

use std::fmt::Write;

pub struct Chart {
    pub file: &'static str,
    pub title: String,
    pub axis: &'static str,
    /// The name and the points of each line.
    pub lines: Vec<(&'static str, Vec<(u32, f64)>)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 40.0;
const TOP: f64 = 36.0;
/// The height of the space below the axis, which contains the axis's numbers, its name, and the names of the lines.
const BELOW: f64 = 84.0;

/// The style of each line, selected by the beginning of its name. The dashes make the lines distinguishable without
/// colours.
const STYLES: [(&str, &str, &str); 6] = [
    ("statictramp by", "#5aae90", "6 3"),
    ("statictramp", "#1b6e53", "none"),
    ("flang", "#b5651d", "none"),
    ("GCC", "#7b4f9e", "2 3"),
    ("libffi", "#3465a4", "9 3 2 3"),
    ("malloc", "#888888", "1 2"),
];

impl Chart {
    /// Returns the lower and the upper bound of the vertical axis, which are powers of ten.
    fn range(&self) -> (f64, f64) {
        let values = || self.lines.iter().flat_map(|(_, points)| points.iter().map(|&(_, y)| y.max(1.0)));
        let (least, most) = (values().fold(f64::MAX, f64::min), values().fold(1.0, f64::max));
        let low = least.log10().floor();
        (low, most.log10().ceil().max(low + 1.0))
    }

    pub fn svg(&self) -> String {
        let (low, high) = self.range();
        let last =
            f64::from(self.lines.iter().flat_map(|(_, points)| points).map(|&(x, _)| x).max().unwrap_or(2));
        let across = |x: f64| LEFT + (WIDTH - LEFT - RIGHT) * (x.log2() / last.log2());
        let up =
            |y: f64| HEIGHT - BELOW - (HEIGHT - BELOW - TOP) * ((y.max(1.0).log10() - low) / (high - low));
        let bottom = HEIGHT - BELOW;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"10\" y=\"20\" font-weight=\"bold\">{}: nanoseconds</text>\n",
            self.title
        );
        let mut decade = low;
        while decade <= high {
            for step in [1.0, 2.0, 5.0] {
                let value = step * 10f64.powf(decade);
                if decade == high && step > 1.0 {
                    continue;
                }
                let y = up(value);
                writeln!(svg, "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555\">{value}</text>", WIDTH - RIGHT, LEFT - 6.0, y + 4.0).unwrap();
            }
            decade += 1.0;
        }
        let mut free_to = WIDTH; // no number may overlap the next one, and the last number is always shown
        for &(x, _) in self.lines.first().map_or(&[][..], |(_, points)| points).iter().rev() {
            let (at, name) = (across(f64::from(x)), thousands(x));
            let half = 3.6 * name.len() as f64;
            if at + half <= free_to {
                free_to = at - half - 4.0;
                writeln!(
                    svg,
                    "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{name}</text>",
                    bottom + 16.0
                )
                .unwrap();
            }
        }
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            bottom + 34.0,
            self.axis
        )
        .unwrap();
        let mut at = LEFT;
        let mut row = bottom + 56.0;
        for (name, points) in &self.lines {
            let (_, colour, dash) =
                STYLES.iter().find(|(start, ..)| name.starts_with(start)).unwrap_or(&STYLES[1]);
            let style =
                format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"");
            let corners: Vec<_> =
                points.iter().map(|&(x, y)| format!("{:.1},{:.1}", across(f64::from(x)), up(y))).collect();
            writeln!(svg, "<polyline points=\"{}\" {style}/>", corners.join(" ")).unwrap();
            let wide = 44.0 + 6.6 * name.len() as f64;
            if at + wide > WIDTH {
                (at, row) = (LEFT, row + 18.0);
            }
            writeln!(
                svg,
                "<path d=\"M{at} {}h26\" {style}/><text x=\"{}\" y=\"{row}\">{name}</text>",
                row - 4.0,
                at + 32.0
            )
            .unwrap();
            at += wide;
        }
        svg + "</svg>\n"
    }

    pub fn table(&self) -> String {
        let names: Vec<_> = self.lines.iter().map(|(name, _)| *name).collect();
        let mut table = format!(
            "**{}** ({}; ns)\n\n| {} | {} |\n|---|{}\n",
            self.title,
            self.file,
            self.axis,
            names.join(" | "),
            "---|".repeat(names.len())
        );
        for (row, &(x, _)) in self.lines.first().map_or(&[][..], |(_, points)| points).iter().enumerate() {
            let cells: Vec<_> = self
                .lines
                .iter()
                .map(|(_, points)| points.get(row).map_or(String::new(), |(_, y)| format!("{y:.1}")))
                .collect();
            writeln!(table, "| {} | {} |", thousands(x), cells.join(" | ")).unwrap();
        }
        table
    }
}

/// Returns a number with thousands separators.
pub fn thousands(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
