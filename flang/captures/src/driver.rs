//! The compiler's driver, which lists its jobs with `-###`, and its front end, which dumps the analysed program.

use super::lowered::Site;
use super::promises::File;
use super::{complete, lowered, symbols, tree};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};

/// A front-end command that compiles one source file.
#[derive(Debug, PartialEq, Eq)]
pub struct Job {
    program: String,
    /// The arguments, without an action and an output file.
    arguments: Vec<String>,
    pub source: String,
}

impl Job {
    /// Returns whether the job writes line tables.
    pub fn has_line_tables(&self) -> bool {
        self.arguments.iter().any(|it| it.starts_with("-debug-info-kind="))
    }

    /// Returns whether the job loads this project's plugin and optimizes. Without optimization, promises have no effect, and
    /// line tables may change the code.
    pub fn uses_promises(&self) -> bool {
        let is_plugin = |it: &String| it.starts_with("-fpass-plugin=") && it.contains("statictramp_flang");
        let is_level = |it: &String| it.starts_with("-O") && it != "-O0";
        self.arguments.iter().any(is_plugin) && self.arguments.iter().any(is_level)
    }

    /// Returns a command that runs the front end with an action instead of the original one.
    fn command(&self, action: &[&str]) -> Command {
        let (source, options) = self.arguments.split_last().expect("a job has a source file");
        let mut command = Command::new(&self.program);
        command.args(options).args(action).arg(source).stdin(Stdio::null());
        command
    }
}

/// The front-end commands of one compiler invocation.
pub struct Jobs {
    pub jobs: Vec<Job>,
    /// The reason why no promises (see `promises.rs`) can be derived, if there is one.
    pub problem: Option<String>,
}

/// Front-end options with which no promises are derived, and the reasons. These options change the rules of the
/// language, or the meaning of names in the list.
const WITHOUT_PROMISES: [(&str, &str); 3] = [
    (
        "-fno-underscoring",
        "a line of the list could also match a procedure whose name has an additional final \"_\"",
    ),
    ("-fopenmp", "a task may use a dummy argument after the procedure has returned"),
    ("-fopenacc", "an asynchronous region may use a dummy argument after the procedure has returned"),
];

/// Queries the driver for the jobs of a command line.
///
/// # Errors
/// Returns an error if the compiler cannot be run or rejects its arguments.
pub fn jobs(compiler: &OsStr, arguments: &[OsString]) -> Result<Jobs, String> {
    let shown = Command::new(compiler)
        .args(arguments)
        .arg("-###")
        .stdin(Stdio::null())
        .output()
        .map_err(|why| why.to_string())?;
    let output = String::from_utf8_lossy(&shown.stderr);
    if !shown.status.success() {
        let errors: Vec<&str> = output.lines().filter(|it| it.contains("error: ")).collect();
        return Err(format!(
            "-###: {}",
            if errors.is_empty() { output.trim().into() } else { errors.join("; ") }
        ));
    }
    Ok(read_jobs(&output))
}

fn read_jobs(output: &str) -> Jobs {
    let mut jobs = Jobs { jobs: Vec::new(), problem: None };
    let mut outputs = HashSet::new();
    for line in output.lines().filter(|it| it.contains(" \"-fc1\" ")) {
        let Some(words) = words(line) else {
            jobs.problem = Some(format!("the driver's command cannot be parsed: {line}"));
            continue;
        };
        match job(&words) {
            Ok(job) => jobs.jobs.extend(job),
            Err(why) => jobs.problem = Some(why),
        }
        outputs.extend(words.windows(2).filter(|it| it[0] == "-o").map(|it| it[1].clone()));
    }
    // If another job writes the source, the source does not exist yet, or is left over from an earlier
    // compilation.
    if let Some(job) = jobs.jobs.iter().find(|it| outputs.contains(&it.source)) {
        let why = format!("the compiler preprocesses into the file {} (-save-temps)", job.source);
        jobs.problem = Some(why);
    }
    jobs
}

/// Returns the job of a front-end command that compiles a source file, or `None` if the command only preprocesses or
/// compiles LLVM IR.
fn job(words: &[String]) -> Result<Option<Job>, String> {
    let (Some((program, arguments)), Some(source)) = (words.split_first(), words.last()) else {
        return Ok(None);
    };
    let language = arguments.iter().position(|it| it == "-x").and_then(|at| arguments.get(at + 1));
    if arguments.iter().any(|it| it == "-E") || language.is_some_and(|it| !it.starts_with("f95")) {
        return Ok(None);
    }
    if let Some(why) = WITHOUT_PROMISES.iter().find(|it| arguments.contains(&it.0.into())) {
        return Err(format!("{}: {}", why.0, why.1));
    }
    if source == "-" {
        return Err("a source file on standard input can be read only once".into());
    }
    // The front end accepts only one action, so the original action is removed. Dumps go to standard output, so the option
    // for the output file is also removed.
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-o" => drop(rest.next()),
            "-S" | "-fsyntax-only" => {}
            _ if word.starts_with("-emit-") => {}
            _ => kept.push(word.clone()),
        }
    }
    Ok(Some(Job { program: program.clone(), arguments: kept, source: source.clone() }))
}

/// Splits a command into words. The driver quotes each word with `"`, and writes `\` before `"`, `$` and `\`.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut characters = line.chars();
    loop {
        match characters.next() {
            None => return (!words.is_empty()).then_some(words),
            Some(' ') => {}
            Some('"') => {
                let mut word = String::new();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '\\' => word.push(characters.next()?),
                        other => word.push(other),
                    }
                }
                words.push(word);
            }
            Some(_) => return None,
        }
    }
}

/// The reasons why no dump was produced.
pub enum Undone {
    /// The compiler rejects the source, or cannot be run.
    Rejected(String),
    /// No promises (see `promises.rs`) can be derived. The string is the reason.
    Unknown(String),
}

/// Runs the front end to dump the parse tree and the symbols of a source file. Its diagnostics go to `messages`.
pub fn dump(job: &Job, messages: Stdio) -> Result<File, Undone> {
    let output = job
        .command(&["-fdebug-dump-all"])
        .stderr(messages)
        .output()
        .map_err(|why| Undone::Rejected(format!("{}: {why}", job.program)))?;
    if !output.status.success() {
        return Err(Undone::Rejected(format!("{} rejects {}", job.program, job.source)));
    }
    read_dump(&String::from_utf8_lossy(&output.stdout))
        .map_err(|why| Undone::Unknown(format!("the compiler's dump cannot be parsed: {why}")))
}

/// Runs the front end to find the positions of the calls in a source file. Returns `None` if they are unknown.
pub fn sites(job: &Job) -> Option<Vec<Site>> {
    let action = ["-emit-hlfir", "-mmlir", "--mlir-print-debuginfo", "-o", "-"];
    let output = job.command(&action).stderr(Stdio::null()).output().ok()?;
    if !output.status.success() {
        return None;
    }
    lowered::parse(std::str::from_utf8(&output.stdout).ok()?).ok()
}

/// Parses the output of the front end.
///
/// # Errors
/// Returns an error if a line cannot be parsed or a part is missing.
fn read_dump(text: &str) -> Result<File, String> {
    const TREE: &str = "======================== Flang: parse tree dump ========================\n";
    const SYMBOLS: &str = "===================== Flang: symbols dump =====================\n";
    let body = text.strip_prefix(TREE).ok_or("there is no parse tree")?;
    let (tree, symbols) = body.split_once(SYMBOLS).ok_or("there are no symbols")?;
    let file = File { tree: tree::parse(tree)?, scopes: symbols::parse(symbols)? };
    match complete::missing(&file.tree, &file.scopes) {
        Some(name) => Err(format!("the symbols of {name} are missing")),
        None => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn driver_jobs_are_parsed() {
        let output = "flang version 19\n \"/bin/flang\" \"-fc1\" \"-emit-obj\" \"-D\" \"A=\\\"x\\$\" \"-o\" \"a b.o\" \"-x\" \"f95\" \"a b.f90\"\n \
                    \"/bin/flang\" \"-fc1\" \"-E\" \"-x\" \"f95\" \"e.F90\"\n \"/bin/ld\" \"a b.o\"\n";
        let found = read_jobs(output);
        let arguments = ["-fc1", "-D", "A=\"x$", "-x", "f95", "a b.f90"];
        let job = Job {
            program: "/bin/flang".into(),
            arguments: arguments.map(String::from).into(),
            source: "a b.f90".into(),
        };
        assert_eq!(found.jobs, [job]);
        assert_eq!(found.problem, None);
        for option in ["-fno-underscoring", "-fopenmp", "-fopenacc"] {
            let found = read_jobs(&format!(" \"f\" \"-fc1\" \"{option}\" \"-x\" \"f95\" \"a.f90\""));
            assert!(found.jobs.is_empty() && found.problem.is_some(), "{option}");
        }
        let preprocessed = " \"f\" \"-fc1\" \"-E\" \"-o\" \"a.i\" \"-x\" \"f95-cpp-input\" \"a.F90\"\n \
                            \"f\" \"-fc1\" \"-o\" \"a.bc\" \"-x\" \"f95\" \"a.i\"";
        assert!(read_jobs(preprocessed).problem.is_some());
        for odd in [" \"f\" \"-fc1\" x", " \"f\" \"-fc1\" \"x", " \"f\" \"-fc1\" \"-x\" \"f95\" \"-\""] {
            let found = read_jobs(odd);
            assert!(found.jobs.is_empty() && found.problem.is_some(), "{odd}");
        }
    }

    #[test]
    fn a_dump_without_one_half_is_rejected() {
        for text in
            ["", "======================== Flang: parse tree dump ========================\nProgram\n"]
        {
            assert!(read_dump(text).is_err());
        }
    }
}
