//! Measures costs as functions of one quantity, the times of the slowest creations, and the costs per process. Runs the
//! programs that `tests/run bench` has built, one after the other, and writes `target/bench/curves.md` and
//! `target/bench/curves/*.svg`.

mod chart;
mod pauses;
mod process;
mod regimes;

use chart::Chart;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The measured implementations: the name, and the program `curves-NAME`.
const VARIANTS: [(&str, &str); 6] = [
    ("statictramp", "statictramp"),
    ("statictramp by flang's interface", "compiled"),
    ("flang 23: pool", "flang-pool"),
    ("GCC 16: heap", "gcc-heap"),
    ("libffi", "libffi"),
    ("malloc + free", "malloc"),
];

struct Curve {
    /// The program's argument.
    name: &'static str,
    title: &'static str,
    /// The meaning of `x`.
    axis: &'static str,
    xs: &'static [u32],
    /// The entries of `VARIANTS` that support this curve.
    variants: &'static [usize],
    /// Whether the program's threads run at the same time.
    concurrent: bool,
    /// The meaning of each number that the program prints.
    prints: &'static [(&'static str, &'static str)],
}

const CURVES: [Curve; 8] = [
    Curve {
        name: "live",
        title: "",
        axis: "live trampolines",
        xs: &[1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262_144, 1_048_576],
        variants: &[0, 2, 3, 4, 5],
        concurrent: false,
        prints: &[
            ("create", "to create one"),
            ("call", "to call one, at random"),
            ("free", "to free one"),
            ("lookup", "to look one up, at random"),
        ],
    },
    Curve {
        name: "threads",
        title: "to create, call and free one, over all threads",
        axis: "threads at once",
        xs: &[1, 2, 4, 8, 16, 32, 64],
        variants: &[0, 2, 3, 4, 5],
        concurrent: true,
        prints: &[("threads", "")],
    },
    Curve {
        name: "alone",
        title: "to create, call and free one, alone: the slowest of all threads",
        axis: "threads that are alive",
        xs: &[1, 2, 4, 8, 16, 32, 64],
        variants: &[0, 2, 3, 4, 5],
        concurrent: false,
        prints: &[("alone", "")],
    },
    Curve {
        name: "callees",
        title: "to create, call and free one, of so many callees in turn",
        axis: "callees",
        xs: &[1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 1000],
        variants: &[0, 2, 3, 4, 5],
        concurrent: false,
        prints: &[("callees", "")],
    },
    Curve {
        name: "both",
        title: "to create, call and free one, of so many callees in turn, with 1,025 live",
        axis: "callees",
        xs: &[1, 8, 64, 1000],
        variants: &[0, 2, 3, 4, 5],
        concurrent: false,
        prints: &[("both", "")],
    },
    Curve {
        name: "sixty-four",
        title: "to create and free one, of so many callees in turn, on each of 64 threads: processor time",
        axis: "callees",
        xs: &[1, 8, 64, 1000],
        variants: &[0, 2, 3, 4, 5],
        concurrent: true,
        prints: &[("sixty-four", "")],
    },
    Curve {
        name: "full",
        title: "to free one at random and create one, in a table of 1,024",
        axis: "live trampolines",
        xs: &[1, 128, 256, 384, 512, 640, 768, 896, 1023],
        variants: &[0, 2, 4, 5],
        concurrent: false,
        prints: &[("fullness", "")],
    },
    Curve {
        name: "depth",
        title: "to create, call and free one, at each level of a recursion",
        axis: "levels",
        xs: &[1, 4, 16, 64, 256, 1024, 4096],
        variants: &[0, 1, 2, 3, 4, 5],
        concurrent: false,
        prints: &[("depth", "")],
    },
];

/// Returns the output of a measuring program, which must exit successfully.
fn output(directory: &Path, program: &str, arguments: &[&str]) -> String {
    let path = directory.join(program);
    output_of(Command::new(&path).args(arguments), &path, arguments)
}

/// Like `output`, but runs the program only on the first processor that this thread may use. The processors of a
/// machine may differ in speed, for example because another virtual machine shares a core.
fn output_on_one_processor(directory: &Path, program: &str, arguments: &[&str]) -> String {
    let path = directory.join(program);
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("the kernel lists processors");
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .expect("the status file has the line Cpus_allowed_list");
    let first = allowed.trim().split([',', '-']).next().expect("the list is not empty");
    output_of(Command::new("taskset").args(["-c", first]).arg(&path).args(arguments), &path, arguments)
}

fn output_of(command: &mut Command, program: &Path, arguments: &[&str]) -> String {
    let output = command.output();
    let output = output.unwrap_or_else(|why| panic!("{}: {why}", program.display()));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && !text.is_empty(),
        "{} {arguments:?} printed \"{text}\" and \"{why}\"",
        program.display()
    );
    text
}

/// Returns the numbers in a line of text.
fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace().map(|word| word.parse().unwrap_or_else(|_| panic!("no number: {line}"))).collect()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures a curve and returns one chart for each number that the programs print.
fn measure(curve: &Curve, directory: &Path, rounds: usize) -> Vec<Chart> {
    let mut all: BTreeMap<(usize, u32, usize), Vec<f64>> = BTreeMap::new();
    for _ in 0..rounds {
        for &x in curve.xs {
            for &variant in curve.variants {
                let output = if curve.concurrent { output } else { output_on_one_processor };
                let line = output(
                    directory,
                    &format!("curves-{}", VARIANTS[variant].1),
                    &[curve.name, &x.to_string()],
                );
                for (number, value) in numbers(&line).into_iter().enumerate() {
                    all.entry((number, x, variant)).or_default().push(value);
                }
            }
        }
    }
    let charts = curve.prints.iter().enumerate().map(|(number, &(file, title))| {
        // Only this library can look up pointers.
        let variants = curve.variants.iter().filter(|&&variant| file != "lookup" || variant == 0);
        let lines = variants.map(|&variant| {
            let points =
                curve.xs.iter().filter_map(|&x| Some((x, median(all.get_mut(&(number, x, variant))?))));
            (VARIANTS[variant].0, points.collect())
        });
        Chart { file, title: [curve.title, title].concat(), axis: curve.axis, lines: lines.collect() }
    });
    charts.collect()
}

fn main() {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    let effort: usize =
        std::env::var("STATICTRAMP_EFFORT").ok().and_then(|it| it.parse().ok()).unwrap_or(100);
    let peers = target.join("peers");
    if !peers.join("curves-statictramp").exists() {
        println!("the programs to be measured do not exist: tests/run bench builds them"); // this happens in `cargo test --benches`
        return;
    }
    let rounds = (7 * effort / 100).max(1);
    let output = target.join("curves");
    std::fs::create_dir_all(&output).expect("target/bench can be made");
    let mut text = String::new();
    let charts: Vec<_> = CURVES.iter().flat_map(|curve| measure(curve, &peers, rounds)).collect();
    for chart in &charts {
        std::fs::write(output.join(chart.file).with_extension("svg"), chart.svg())
            .expect("target/bench can be written");
        writeln!(text, "{}", chart.table()).unwrap();
    }
    text += &regimes::table(&charts);
    text += &pauses::table(&peers, effort);
    text += &process::table(&peers, effort);
    print!("{text}");
    std::fs::write(target.join("curves.md"), text).expect("target/bench can be written");
}
