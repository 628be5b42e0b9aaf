//! `statictramp captures`: finds the procedures called in a Fortran source file, and lists, for the optimizer, the
//! arguments that these procedures do not keep.
//!
//! The tool's program offers [`command`] as a subcommand, which [`run`] runs. This interface is only for the tool, and may
//! change in any version.
#![forbid(unsafe_code)]

mod complete;
mod declared;
mod driver;
mod interface;
mod lines;
mod lowered;
mod passed;
mod promises;
mod sites;
mod symbols;
mod temporary;
mod tree;
mod units;
mod values;

use clap::builder::OsStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command as Subcommand};
use driver::{Jobs, Undone};
use promises::Analysis;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitStatus, Stdio};
use temporary::Temporary;

/// An exit status, and a message without the names' special characters escaped. The status is 1 if the operation failed,
/// or 2 if the command line is invalid or an input cannot be read.
type Failure = (u8, OsString);

fn failed(why: String) -> Failure {
    (1, why.into())
}

fn unusable(why: OsString) -> Failure {
    (2, why)
}

/// Returns the subcommand's name and arguments.
#[must_use]
pub fn command() -> Subcommand {
    Subcommand::new("captures")
        .display_name("statictramp captures")
        .about("Lists the arguments whose addresses are not kept by the procedures that a Fortran source calls")
        .long_about(
            "Lists the arguments whose addresses are, by the rules of Fortran, not kept by the procedures that a \
             Fortran source calls. The plugin for flang reads such a list from the file that STATICTRAMP_KEEPS_NOT \
             names, and can then let the optimizer move stores past calls. The compiler's front end analyses the \
             source; if its dump cannot be parsed, the list is empty and a warning is printed.",
        )
        .after_help(
            "Exit status: 0 if the list was printed, 1 if the compiler rejects the source, 2 if the command line \
             is invalid or an input cannot be read. With --compile: the compiler's exit status.",
        )
        .arg(Arg::new("compile").long("compile").action(ArgAction::SetTrue).help(
            "Compile with this list and that of STATICTRAMP_KEEPS_NOT; commands that compile no Fortran source are \
             passed on unchanged",
        ))
        .arg(Arg::new("calls").long("calls").action(ArgAction::SetTrue).conflicts_with("compile").help(
            "Also print the lines about single calls that --compile adds to its list; in another compilation, these \
             lines have no effect",
        ))
        .arg(
            Arg::new("keeps")
                .long("keeps")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Name of a procedure that keeps its arguments against the rules: make no promise about it"),
        )
        .arg(
            Arg::new("command")
                .required(true)
                .value_names(["FLANG", "ARG"])
                .num_args(1..)
                .trailing_var_arg(true)
                .value_parser(OsStringValueParser::new())
                .help("The compiler and its arguments"),
        )
}

/// Prints the list, or compiles with the list. `print` writes a line of the list, and `warn` writes a warning. Returns the
/// exit status.
///
/// # Errors
/// Returns an exit status and a message. Neither the message nor a warning is escaped, and both may contain any character of
/// a name.
pub fn run(matches: &ArgMatches, print: fn(&str), warn: fn(&str)) -> Result<u8, (u8, OsString)> {
    let words: Vec<OsString> = matches.get_many("command").into_iter().flatten().cloned().collect();
    let keeps =
        matches.get_many::<String>("keeps").into_iter().flatten().map(|it| it.to_lowercase()).collect();
    let Some((compiler, arguments)) = words.split_first() else {
        return Err(unusable("captures requires a compiler and its arguments".into()));
    };
    if matches.get_flag("compile") {
        return compile(compiler, arguments, &keeps, warn);
    }
    let found = driver::jobs(compiler, arguments).map_err(|why| unusable(about(compiler, &why)))?;
    if let (true, None) = (found.jobs.is_empty(), &found.problem) {
        return Err(unusable(about(compiler, "compiles no Fortran source with these arguments")));
    }
    match list(&found, &keeps, &HashSet::new(), matches.get_flag("calls"), Stdio::inherit) {
        Ok(list) => list.procedures.iter().chain(&list.calls).for_each(|line| print(line)),
        Err(Undone::Rejected(why)) => return Err(failed(why)),
        Err(Undone::Unknown(why)) => warn(&no_promise(&why)),
    }
    Ok(0)
}

fn about(name: &OsStr, what: &str) -> OsString {
    [name, OsStr::new(": "), OsStr::new(what)].into_iter().collect()
}

fn no_promise(why: &str) -> String {
    format!("captures: warning: no promise is made: {why}")
}

/// Lines about all calls to a procedure, and lines about individual calls.
#[derive(Default)]
struct List {
    procedures: Vec<String>,
    calls: Vec<String>,
}

/// Returns the list for all sources, with lines about individual calls if `with_calls` is true. If one source file cannot be
/// analysed, no promise is made for any file, since the files share procedures. `own` contains the source names in the user's
/// list.
fn list(
    found: &Jobs,
    keeps: &HashSet<String>,
    own: &HashSet<String>,
    with_calls: bool,
    messages: fn() -> Stdio,
) -> Result<List, Undone> {
    if let Some(why) = &found.problem {
        return Err(Undone::Unknown(why.clone()));
    }
    let files = found.jobs.iter().map(|job| driver::dump(job, messages())).collect::<Result<Vec<_>, _>>()?;
    let analysis = Analysis::new(&files, keeps);
    let mut list = List { procedures: analysis.lines(), calls: Vec::new() };
    if with_calls && analysis.has_promises_for_calls(&list.procedures) {
        let sites: Option<Vec<_>> = found.jobs.iter().map(driver::sites).collect();
        list.calls = sites::lines(&analysis, &sites.unwrap_or_default().concat(), &list.procedures, own);
    }
    Ok(list)
}

/// Compiles with the derived list and the user's own list. Returns the compiler's exit status.
fn compile(
    compiler: &OsStr,
    arguments: &[OsString],
    keeps: &HashSet<String>,
    warn: fn(&str),
) -> Result<u8, Failure> {
    // If there are errors in the arguments or in the source, the compiler itself reports them when it compiles.
    let mut has_line_tables = false;
    let derived = driver::jobs(compiler, arguments).map(|found| {
        has_line_tables = found.jobs.iter().any(driver::Job::has_line_tables);
        // An error in the user's list is reported below, or by the plugin.
        let own = own_list().map_or_else(|_| HashSet::new(), |own| named(&own));
        list(&found, keeps, &own, found.jobs.iter().all(driver::Job::uses_promises), Stdio::null)
    });
    let list = match derived {
        Ok(Ok(list)) => list,
        Ok(Err(Undone::Unknown(why))) => {
            warn(&no_promise(&why));
            List::default()
        }
        Ok(Err(Undone::Rejected(_))) | Err(_) => List::default(),
    };
    let mut command = Command::new(compiler);
    command.env("STATICTRAMP_TELL_OPTIMIZER", "on").env_remove(CALLS);
    // If there are no lines to add, the user's list is used directly, without a temporary file.
    let temporary = if list.procedures.is_empty() && list.calls.is_empty() {
        None
    } else {
        let own = own_list()?;
        let mut text = merged(&own, &list.procedures);
        let calls = not_named(&own, &list.calls);
        if !calls.is_empty() {
            // The plugin uses the lines about individual calls only if the environment contains the same token. A copy of
            // the list thus has no effect in another compilation, in which the positions may belong to other calls.
            let token = temporary::token();
            text += &format!("@{token}{}\n", if has_line_tables { "" } else { " remove" });
            calls.iter().for_each(|line| text += &format!("{line}\n"));
            command.env(CALLS, token);
            if !has_line_tables {
                command.arg("-gline-tables-only"); // the plugin removes them after it has read the positions
            }
        }
        let temporary = Temporary::new(text.as_bytes())
            .map_err(|why| failed(format!("cannot write a temporary list: {why}")))?;
        command.env("STATICTRAMP_KEEPS_NOT", &temporary.list);
        Some(temporary)
    };
    command.args(arguments);
    let status = command.status().map_err(|why| unusable(about(compiler, &why.to_string())))?;
    drop(temporary);
    Ok(exit_status(status))
}

/// The environment variable whose value indicates that the list's lines about individual calls belong to this
/// compilation.
const CALLS: &str = "STATICTRAMP_CALLS";

/// Returns the text of the list in the file that STATICTRAMP_KEEPS_NOT specifies.
///
/// # Errors
/// Returns an error if the file cannot be read or has an invalid line. (The plugin would report such a line under the
/// name of the temporary file.)
fn own_list() -> Result<String, Failure> {
    let Some(file) = std::env::var_os("STATICTRAMP_KEEPS_NOT").filter(|file| !file.is_empty()) else {
        return Ok(String::new());
    };
    let about = |why: String| {
        unusable(
            [OsStr::new("STATICTRAMP_KEEPS_NOT: "), &file, OsStr::new(&format!(":{why}"))]
                .into_iter()
                .collect(),
        )
    };
    let text = std::fs::read_to_string(&file).map_err(|why| about(format!(" {why}")))?;
    match text.lines().position(|line| !is_valid(line)) {
        Some(index) => Err(about(format!(
            "{}: the line must be the name of a procedure, optionally followed by argument numbers or the word \"procedures\"",
            index + 1
        ))),
        None => Ok(text),
    }
}

/// Returns whether the plugin accepts a line of a list (by the rules in flang/src/keeps_not.rs).
fn is_valid(line: &str) -> bool {
    let words = words(line);
    let Some((name, rest)) = words.split_first() else { return true };
    let is_number = |word: &&str| word.parse::<u32>().is_ok_and(|number| number > 0);
    if name.contains('@') {
        return true; // a line about a single call has no effect in this compilation; the plugin checks its form
    }
    name.chars().all(|c| c.is_alphanumeric() || "_$.%".contains(c))
        && (rest == ["procedures"] || (!name.contains('%') && rest.iter().all(is_number)))
}

/// Returns the words of a line in the list, without its comment.
fn words(line: &str) -> Vec<&str> {
    line.split('#').next().unwrap_or_default().split_whitespace().collect()
}

/// Returns the user's list, followed by the derived lines for procedures that the user's list does not contain. If a
/// procedure is in the user's list, derived lines for it are omitted, because the plugin uses only promises that all
/// lines for a procedure make. The user may know more than the source states.
fn merged(own: &str, lines: &[String]) -> String {
    let mut text = format!("{own}\n");
    not_named(own, lines).iter().for_each(|line| text += &format!("{line}\n"));
    text
}

/// Returns the source names of the procedures that the user's list contains.
fn named(own: &str) -> HashSet<String> {
    own.lines()
        .map(words)
        .filter(|words| words.get(1) != Some(&"procedures"))
        .filter_map(|words| words.first().map(|name| source_name(name)))
        .collect()
}

/// Returns the derived lines for procedures that the user's list does not contain.
fn not_named<'a>(own: &str, lines: &'a [String]) -> Vec<&'a String> {
    let named = named(own);
    let symbol = |line: &str| source_name(line.split([' ', '@']).next().unwrap_or_default());
    lines.iter().filter(|line| !named.contains(&symbol(line))).collect()
}

/// Returns the source name of a symbol or name, in lower case.
fn source_name(symbol: &str) -> String {
    let name = symbol.strip_prefix("_QM").and_then(|it| it.rsplit_once('P')).map_or(symbol, |it| it.1);
    name.strip_suffix('_').unwrap_or(name).to_lowercase()
}

/// Returns the exit status as a shell reports it. If a signal ended the compiler, this status is 128 plus the signal
/// number.
fn exit_status(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128u8.saturating_add(signal as u8);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn user_lines_override_derived_lines() {
        let own = "Report # prints\nsolve procedures\n_QMmPstep 2";
        let lines =
            ["report 1", "report_ 1", "solve 1", "other", "_QMmPstep 1 2", "_QMmPrest"].map(String::from);
        let calls = ["report_@f_:1:2 1 of 2", "other_@report_:1:2 1 of 2"].map(String::from);
        assert_eq!(not_named(own, &calls), [&calls[1]]);
        assert_eq!(merged(own, &lines), format!("{own}\nsolve 1\nother\n_QMmPrest\n"));
        assert_eq!(merged("", &[]), "\n");
    }

    #[test]
    fn lines_that_the_plugin_rejects_are_invalid() {
        for line in ["", " # text", "foo", "_QMmPs 1 2 # text", "report procedures", "a$b."] {
            assert!(is_valid(line), "{line}");
        }
        for line in ["foo 0", "foo x", "foo procedures 1", "f-g", "foo,1", "foo -1"] {
            assert!(!is_valid(line), "{line}");
        }
    }
}
