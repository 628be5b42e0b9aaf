//! Programs that are generated from a seed. Their output must be the same as gfortran's, none may be rejected, and no trampoline
//! may remain. The report on generated routes of an address must also be correct.

use crate::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Mutex;
use test_tools::{effort, share, stack_rights, write};

/// A batch of generated programs, or of routes of an address, in one file.
struct Batch {
    seed: u64,
    version: u32,
    level: &'static str,
    directory: PathBuf,
}

impl Batch {
    fn new(kind: &str, count: usize, number: u64) -> Batch {
        let seed = first_seed() + number;
        let version = VERSIONS[number as usize % 3];
        let level = ["-O0", "-O1", "-O2", "-O3"][number as usize / 3 % 4];
        let directory = new_directory(&format!("generated/{kind}-{seed}"));
        let generator = root().join("target/release/examples/generate");
        let program = stdout(host(&directory, &format!("{} {kind} {seed} {count}", generator.display())));
        write(directory.join("program.f90"), program);
        println!("generate {kind} {seed} {count}, flang {version} {level}");
        Batch { seed, version, level, directory }
    }

    fn compile(&self, report: &str, arguments: &str) -> test_tools::Ended {
        let line = format!("{} -w -fopenmp program.f90 {arguments}", self.level);
        // For half of the programs, promises about the arguments of the run-time library are enabled.
        let setting = if self.seed.is_multiple_of(2) { "off" } else { "on" };
        let command = flang(self.version, &self.directory, &line).var("STATICTRAMP_ESCAPES", report);
        command.var("STATICTRAMP_TELL_OPTIMIZER", setting).ended()
    }

    /// Runs a program, and returns how it ended and its standard output.
    fn printed(&self, command: Command) -> (test_tools::Ended, String) {
        let file = self.directory.join("printed");
        let ended = command.within(300).output(File::create(&file).unwrap()).ended();
        (ended, read(file))
    }

    /// Keeps the program of a failed test.
    fn fail(&self, why: &str) -> ! {
        let kept = root().join(format!("target/flang-generated/{}-{}.f90", self.seed, self.version));
        write(&kept, read(self.directory.join("program.f90")));
        panic!("{why} (seed {}, flang {} {}; {})", self.seed, self.version, self.level, kept.display());
    }

    fn program(&self) {
        let gfortran = format!("gfortran -O{} -fopenmp -w program.f90 -o gfortran", self.seed % 4);
        let ended = host(&self.directory, &gfortran).ended();
        if ended.status != 0 {
            if !ended.text.contains("internal compiler error") {
                self.fail(&format!("gfortran rejects it: {ended}"));
            }
            eprintln!("gfortran -O{} fails for seed {}", self.seed % 4, self.seed);
            return;
        }
        let (ended, wanted) = self.printed(host(&self.directory, "./gfortran").var("OMP_NUM_THREADS", "4"));
        if ended.status != 0 {
            self.fail(&format!("gfortran's program fails: {ended}"));
        }
        // No program may be rejected.
        let link = format!("{} {} {} -o program", plugin(self.version), watch(), archive());
        let compiled = self.compile("error", &link);
        if compiled.status != 0 {
            if self.compile("off", "-c -o x.o").status == 0 {
                self.fail(&format!("it compiles only without the plugin: {compiled}"));
            }
            eprintln!(
                "flang {} {} fails for seed {} without the plugin",
                self.version, self.level, self.seed
            );
            return;
        }
        if stack_rights(self.directory.join("program")) != "RW" {
            self.fail("its stack is not RW");
        }
        let (ended, printed) = self.printed(run(self.version, &self.directory, "./program"));
        if ended.status != 0 || printed != wanted {
            // flang itself may have a bug.
            _ = self.compile("off", "-o stock");
            let (_, stock) = self.printed(unguarded(self.version, &self.directory, "./stock"));
            if ended.status != 0 || stock != printed {
                self.fail(&format!(
                    "it differs from gfortran's program, which prints:\n{wanted}\nnot:\n{printed}{ended}"
                ));
            }
            let Batch { version, level, seed, .. } = self;
            eprintln!(
                "flang {version} {level} differs from gfortran for seed {seed} without the plugin, too"
            );
        }
    }
}

#[test]
fn generated_programs_print_the_same_as_with_gfortran() {
    let hosts = if effort() >= 100 { 20 } else { 12 };
    let numbers: Vec<u64> = (0..share(240) as u64).collect();
    in_parallel(&numbers, |number| Batch::new("programs", hosts, *number).program());
}

/// Routes are compiled without optimization, because the report is made before any.
#[test]
fn the_report_on_generated_routes_is_correct() {
    const ROUTES: usize = 40;
    let counts: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let numbers: Vec<u64> = (0..share(80) as u64).collect();
    in_parallel(&numbers, |number| {
        let batch = Batch { level: "-O0", ..Batch::new("routes", ROUTES, *number) };
        let report =
            batch.compile("warning", &format!("{} -gline-tables-only -c -o x.o", plugin(batch.version)));
        if report.status != 0 {
            batch.fail(&format!("it does not compile: {report}"));
        }
        if report.count("'late_[0-9]*' does not escape|'safe_[0-9]*' escapes") != 0 {
            batch.fail(&format!("a wrong report: {report}"));
        }
        if report.count("internal procedure '(?:late|safe)_.*") != ROUTES {
            batch.fail(&format!("a procedure without a report: {report}"));
        }
        for found in multi_line("'(late|safe)_[0-9]*' ([a-z]*)").captures_iter(&report.text) {
            *counts.lock().unwrap().entry(format!("{} {}", &found[1], &found[2])).or_default() += 1;
        }
    });
    eprintln!("routes: {:?}", counts.into_inner().unwrap());
}
