//! `fortran-calls SEED DIRECTORY`: generates a Fortran program in which several calls to the same procedures share a
//! line, a position or a file name: `caller.F90`, which includes `part_1.inc` and so on, and `main.f90`.
//!
//! The procedures in `calls_library.f90` keep the addresses of the TARGETs that are passed to them. `bump` changes all variables
//! whose addresses are kept, so a promise about a TARGET loses an addition. The calls in an included file have the line and the
//! column of calls in `caller.F90`.

use crate::random::Random;
use crate::{Outcome, usage, write};

const SUBROUTINES: usize = 6;

pub fn run(arguments: &[&str]) -> Outcome {
    const USAGE: &str = "SEED DIRECTORY";
    let [seed, directory] = arguments else { return Err(usage(USAGE)) };
    let mut random = Random::new(seed).ok_or_else(|| usage(USAGE))?;
    let mut source = "#define TWO(a, b, c, d) call keep(a, b); call keep(c, d)\n".to_owned();
    let mut main = "program main\n  real s\n".to_owned();
    for number in 1..=SUBROUTINES {
        let (head, body, included) = Subroutine::new(&mut random).write(number);
        source += &head;
        let lines = source.matches('\n').count() + random.below(8);
        write(&format!("{directory}/part_{number}.inc"), ("\n".repeat(lines) + &included).as_bytes())?;
        source += &body;
        main += &format!("  s = 0\n  call work_{number}({number}, s)\n  print '(f24.4)', s\n");
    }
    write(&format!("{directory}/caller.F90"), source.as_bytes())?;
    write(&format!("{directory}/main.f90"), (main + "end program\n").as_bytes())
}

struct Subroutine<'a> {
    random: &'a mut Random,
    variables: Vec<String>,
    label: u32,
}

impl Subroutine<'_> {
    fn new(random: &mut Random) -> Subroutine<'_> {
        Subroutine { random, variables: Vec::new(), label: 100 }
    }

    /// Returns the lines before and after the position at which the included file's lines are counted, and the included lines.
    fn write(mut self, number: usize) -> (String, String, String) {
        let mut body = String::new();
        for _ in 0..3 + self.random.below(4) {
            let before = self.variables.len();
            if self.random.chance(0.2) {
                body += "#line 20 \"caller.F90\"\n";
            }
            body += &self.statement();
            body += &self.check(before);
        }
        let before = self.variables.len();
        let included = self.calls(3, "\n  ");
        body += &format!(
            "  include 'part_{number}.inc'\n{}  call forget()\nend subroutine\n\n",
            self.check(before)
        );
        let mut head = format!(
            "subroutine work_{number}(n, s)\n  use calls_types\n  integer n\n  real s\n  real, external :: held\n"
        );
        for name in &self.variables {
            let (variable, class) = match name.split_once('%') {
                Some((variable, _)) => (variable, "type(whole)"),
                None => (name.as_str(), "real"),
            };
            let target = if variable.starts_with('t') { ", target" } else { "" };
            head += &format!("  {class}{target} :: {variable}\n");
        }
        for name in &self.variables {
            head += &format!("  {name} = 0\n");
        }
        (head, body, format!("  {included}\n"))
    }

    /// Returns the two arguments for a variable that has not been passed before: its name, and whether it is a TARGET. (A promise
    /// about a part of a variable whose address is already kept has no effect.)
    fn variable(&mut self) -> String {
        let is_target = self.random.chance(0.5);
        let mut name = format!("{}{}", if is_target { 't' } else { 'p' }, self.variables.len());
        if self.random.chance(0.3) {
            name += "%part";
        }
        self.variables.push(name.clone());
        format!("{name}, .{is_target}.")
    }

    fn calls(&mut self, count: usize, between: &str) -> String {
        let calls: Vec<String> = (0..count).map(|_| format!("call keep({})", self.variable())).collect();
        calls.join(between)
    }

    fn statement(&mut self) -> String {
        match self.random.below(7) {
            0 | 1 => {
                let count = 1 + self.random.below(4);
                format!("  {}\n", self.calls(count, "; "))
            }
            2 | 3 => {
                let count = 1 + self.random.below(4);
                let values: Vec<String> = (0..count).map(|_| format!("held({})", self.variable())).collect();
                format!("  s = s + {}\n", values.join(" + "))
            }
            4 => format!("  TWO({}, {})\n", self.variable(), self.variable()),
            5 => {
                let arguments = self.variable();
                let (name, is_target) = arguments.split_once(", ").expect("there are two arguments");
                self.label += 1;
                format!("  call turned({name}, *{0}, {is_target})\n{0} continue\n", self.label)
            }
            _ => format!(
                "  if (n > 3) then\n    {}\n  else\n    {}\n  end if\n",
                self.calls(1, ""),
                self.calls(1, "")
            ),
        }
    }

    /// Returns lines that lose an addition if one of the variables from this index on is wrongly promised not to be kept.
    fn check(&self, from: usize) -> String {
        let variables = &self.variables[from..];
        let set: String = variables.iter().map(|name| format!("  {name} = 5\n")).collect();
        let sum: String = variables.iter().map(|name| format!("  s = 1.01 * s + {name}\n")).collect();
        set + "  call bump()\n" + &sum
    }
}
