//! `reroute SEED FILE`: prints an LLVM IR module in which pointers take other routes, with the same values and the same meaning
//! of the program: each pointer that a line names in a comment `; mutate %x` (of `ir-module`) and, in a module from flang, the
//! chain of each trampoline.

use crate::random::Random;
use crate::{Outcome, print, read, regex, usage};

/// Routes in alphabetical order. Routes marked true are also used for flang's modules. The other routes change blocks,
/// which phis in flang's modules name, or call functions that only generated modules define.
const ROUTES: &[(&str, bool)] = &[
    ("aggregate", true),
    ("copied", false),
    ("decoy call", false),
    ("decoy chosen", false),
    ("decoy computed", false),
    ("decoy exchange", true),
    ("decoy kept", false),
    ("decoy outside", false),
    ("decoy parts", true),
    ("decoy same", false),
    ("freeze", true),
    ("number", true),
    ("phi", false),
    ("record", true),
    ("same", false),
    ("select", false),
    ("shared", false),
    ("space", true),
    ("steps", true),
    ("vector", true),
];

pub fn run(arguments: &[&str]) -> Outcome {
    const USAGE: &str = "SEED FILE";
    let [seed, path] = arguments else { return Err(usage(USAGE)) };
    let random = Random::new(seed).ok_or_else(|| usage(USAGE))?;
    let mut names = Names { random, seed, next: 0 };
    print(&reroute(&read(path)?, &mut names))
}

fn reroute(module: &str, names: &mut Names) -> String {
    let marked = regex(r" ; mutate (%[\w.]+)$");
    let chain = regex(r"call void @llvm\.init\.trampoline\(ptr \S+, ptr \S+, ptr (%[\w.]+)\)");
    let label = regex(r"^[\w.$]+:");
    let is_generated = module.lines().any(|line| marked.is_match(line));
    let routes: Vec<&str> =
        ROUTES.iter().filter(|(_, of_flang)| is_generated || *of_flang).map(|(route, _)| *route).collect();
    // Some modules have few rerouted pointers, so that most cells are still found, and others have none.
    let share = names.random.pick(&[0.0, 0.06, 0.06, 0.2, 0.6]);
    let mut out: Vec<String> = Vec::new();
    // Variables are added at the beginning of the function's entry.
    let mut entry = None;
    for line in module.lines() {
        let mut line = line.to_owned();
        if line.starts_with("define ") || (entry == Some(out.len()) && label.is_match(&line)) {
            out.push(line);
            entry = Some(out.len());
            continue;
        }
        let found = if is_generated { &marked } else { &chain }.captures(&line);
        let pointer = found.map(|found| found[1].to_owned());
        if is_generated {
            line = marked.replace(&line, "").into_owned();
        }
        if let Some(pointer) = pointer
            && names.random.chance(share)
        {
            let mut now = pointer.clone();
            for _ in 0..1 + names.random.below(2) {
                let route = names.random.pick(&routes);
                let (variables, lines, new) = names.route(route, &now);
                let at = entry.expect("a pointer is in a function");
                out.splice(at..at, variables);
                out.push(lines);
                now = new;
            }
            // This is the last operand with the name, which is the chain of a trampoline.
            let operand = regex(&format!(r"^(.*ptr (?:\w+ )*){}\b", regex::escape(&pointer)));
            line = operand.replace(&line, |found: &regex::Captures| found[1].to_owned() + &now).into_owned();
        }
        out.push(line);
    }
    out.iter().fold(String::new(), |text, line| text + line.trim_end_matches('\n') + "\n")
}

struct Names<'a> {
    random: Random,
    seed: &'a str,
    next: usize,
}

impl Names<'_> {
    /// Returns new names.
    fn fresh<const N: usize>(&mut self, begins: [&str; N]) -> [String; N] {
        begins.map(|begin| {
            self.next += 1;
            format!("{begin}.{}.{}", self.seed, self.next - 1)
        })
    }

    /// Returns the variables of a route from the pointer x, the lines before the use, and the new pointer's name.
    fn route(&mut self, route: &str, x: &str) -> (Vec<String>, String, String) {
        if let Some(writer) = route.strip_prefix("decoy ") {
            return self.decoy(writer, x);
        }
        let mut variables = Vec::new();
        let (lines, y) = match route {
            "freeze" => {
                let [y] = self.fresh(["frozen"]);
                (format!("  %{y} = freeze ptr {x}\n"), y)
            }
            "steps" => {
                let [y, z] = self.fresh(["step", "step"]);
                let by = self.random.pick(&[1, 8, 24, 1000]);
                (
                    format!(
                        "  %{y} = getelementptr i8, ptr {x}, i64 {by}\n  %{z} = getelementptr [{by} x i8], ptr %{y}, i64 -1\n"
                    ),
                    z,
                )
            }
            "select" => {
                let [which, y] = self.fresh(["which", "selected"]);
                (
                    format!(
                        "  %{which} = load volatile i1, ptr @yes\n  %{y} = select i1 %{which}, ptr {x}, ptr @decoy\n"
                    ),
                    y,
                )
            }
            "phi" => {
                let [which, y, one, other, joined] =
                    self.fresh(["which", "merged", "one", "other", "joined"]);
                (
                    format!(
                        "  %{which} = load volatile i1, ptr @yes\n  br i1 %{which}, label %{one}, label %{other}\n{one}:\n  \
                         br label %{joined}\n{other}:\n  br label %{joined}\n{joined}:\n  \
                         %{y} = phi ptr [ {x}, %{one} ], [ @decoy, %{other} ]\n"
                    ),
                    y,
                )
            }
            "number" => {
                let [n, y] = self.fresh(["number", "pointer"]);
                (format!("  %{n} = ptrtoint ptr {x} to i64\n  %{y} = inttoptr i64 %{n} to ptr\n"), y)
            }
            "space" => {
                let [cast, y] = self.fresh(["cast", "back"]);
                (
                    format!(
                        "  %{cast} = addrspacecast ptr {x} to ptr addrspace(1)\n  %{y} = addrspacecast ptr addrspace(1) %{cast} to ptr\n"
                    ),
                    y,
                )
            }
            "aggregate" => {
                let [all, y] = self.fresh(["all", "part"]);
                (
                    format!(
                        "  %{all} = insertvalue {{ i32, ptr }} undef, ptr {x}, 1\n  %{y} = extractvalue {{ i32, ptr }} %{all}, 1\n"
                    ),
                    y,
                )
            }
            "vector" => {
                let [all, y] = self.fresh(["all", "part"]);
                (
                    format!(
                        "  %{all} = insertelement <2 x ptr> undef, ptr {x}, i64 1\n  %{y} = extractelement <2 x ptr> %{all}, i64 1\n"
                    ),
                    y,
                )
            }
            "same" => {
                let [y] = self.fresh(["same"]);
                (format!("  %{y} = call ptr @same(ptr {x})\n"), y)
            }
            "record" => {
                let [record, at, y] = self.fresh(["record", "at", "loaded"]);
                variables.push(format!("  %{record} = alloca {{ ptr, ptr, i64 }}\n"));
                (
                    format!(
                        "  store ptr @decoy, ptr %{record}\n  %{at} = getelementptr {{ ptr, ptr, i64 }}, ptr %{record}, i64 0, i32 1\n  \
                         store ptr {x}, ptr %{at}\n  %{y} = load ptr, ptr %{at}\n"
                    ),
                    y,
                )
            }
            "copied" => {
                let [one, two, y] = self.fresh(["one", "two", "loaded"]);
                variables.extend([&one, &two].map(|it| format!("  %{it} = alloca ptr\n")));
                (
                    format!(
                        "  store ptr {x}, ptr %{one}\n  call void @llvm.memcpy.p0.p0.i64(ptr %{two}, ptr %{one}, i64 8, i1 false)\n  \
                         %{y} = load ptr, ptr %{two}\n"
                    ),
                    y,
                )
            }
            "shared" => {
                let [y] = self.fresh(["kept"]);
                (format!("  store ptr {x}, ptr @keeper\n  %{y} = load ptr, ptr @keeper\n"), y)
            }
            _ => unreachable!("there is no route {route}"),
        };
        (variables, lines, format!("%{y}"))
    }

    /// Loads the pointer x from a variable. Another frame is visibly assigned to the variable first, and then x in one of several
    /// ways.
    fn decoy(&mut self, writer: &str, x: &str) -> (Vec<String>, String, String) {
        let [variable, frame, y] = self.fresh(["variable", "frame", "loaded"]);
        let variables =
            vec![format!("  %{variable} = alloca [2 x ptr]\n"), format!("  %{frame} = alloca [2 x i64]\n")];
        let lines = format!(
            "  store ptr %{frame}, ptr %{variable}\n{}  %{y} = load ptr, ptr %{variable}\n",
            self.assign(writer, &format!("%{variable}"), x)
        );
        (variables, lines, format!("%{y}"))
    }

    /// Returns lines that assign x to the variable v.
    fn assign(&mut self, writer: &str, v: &str, x: &str) -> String {
        match writer {
            "call" => format!("  call void @assign(ptr {v}, ptr {x})\n"),
            "outside" => format!("  call void @assign_from_anywhere(ptr {v}, ptr {x})\n"),
            "exchange" => {
                let [old] = self.fresh(["old"]);
                format!("  %{old} = atomicrmw xchg ptr {v}, ptr {x} seq_cst\n")
            }
            "kept" => {
                let [kept] = self.fresh(["kept"]);
                format!(
                    "  store ptr {v}, ptr @keeper\n  %{kept} = load ptr, ptr @keeper\n  store ptr {x}, ptr %{kept}\n"
                )
            }
            "parts" => {
                let [bits, low, shifted, high, upper] =
                    self.fresh(["bits", "low", "shifted", "high", "upper"]);
                format!(
                    "  %{bits} = ptrtoint ptr {x} to i64\n  %{low} = trunc i64 %{bits} to i32\n  %{shifted} = lshr i64 %{bits}, 32\n  \
                     %{high} = trunc i64 %{shifted} to i32\n  store i32 %{low}, ptr {v}\n  \
                     %{upper} = getelementptr i8, ptr {v}, i64 4\n  store i32 %{high}, ptr %{upper}\n"
                )
            }
            "chosen" => {
                let [which, at] = self.fresh(["which", "at"]);
                format!(
                    "  %{which} = load volatile i1, ptr @yes\n  %{at} = select i1 %{which}, ptr {v}, ptr @decoy\n  store ptr {x}, ptr %{at}\n"
                )
            }
            "same" => {
                let [same] = self.fresh(["same"]);
                format!("  %{same} = call ptr @same(ptr {v})\n  store ptr {x}, ptr %{same}\n")
            }
            "computed" => {
                let [which, n, at, back] = self.fresh(["which", "number", "at", "back"]);
                format!(
                    "  %{which} = load volatile i1, ptr @yes\n  %{n} = zext i1 %{which} to i64\n  \
                     %{at} = getelementptr [8 x i8], ptr {v}, i64 %{n}\n  %{back} = getelementptr i8, ptr %{at}, i64 -8\n  store ptr {x}, ptr %{back}\n"
                )
            }
            _ => unreachable!("there is no writer {writer}"),
        }
    }
}
