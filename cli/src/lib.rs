//! The `statictramp` tool. Without a subcommand, the tool prints and verifies the properties of this machine and
//! build.
//!
//! The library is not a public interface, and may change in any version: the program calls [`main`] with other crates'
//! subcommands, and the fuzzers call the readers in `fuzzed`.
#![cfg_attr(fuzzing, allow(missing_docs))] // needed for the items that `fuzzed` exports

#[cfg(target_endian = "big")]
compile_error!(
    "the tool must be built for a little-endian target, because it cannot read big-endian processes \
     (auditing files for big-endian targets does work)"
);

mod audit;
mod command;
#[cfg(not(windows))]
mod dump;
mod flags;
#[cfg_attr(windows, allow(dead_code))] // on Windows, the tool does not read processes
mod image;
#[cfg(not(windows))]
mod kernel;
mod out;
mod print;
mod proof;
#[cfg(not(windows))]
mod run;
mod selftest;
mod shown;
#[cfg(not(windows))]
mod watch;
#[cfg(windows)]
mod windows;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};
use out::{Failure, say};
use std::ffi::OsString;
use std::process::ExitCode;
#[cfg(windows)]
use windows::{dump, kernel, run};

/// The readers of untrusted data, for the fuzzers in `cli/tests/fuzz`.
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzed {
    pub use crate::audit::report::remedies;
    pub use crate::audit::{contents, files, verdict};
    pub use crate::dump::{budget, captured, closures, symbols};
    pub use crate::image::{maps, notes, source};
    pub use crate::shown::shown;
}

/// A function that runs a subcommand. Its arguments include a function that prints a line of output and one that prints
/// a warning.
type Run = fn(&ArgMatches, fn(&str), fn(&str)) -> Result<u8, (u8, OsString)>;

/// A subcommand provided by another crate.
#[doc(hidden)]
pub struct Subcommand {
    /// Returns the name and the arguments.
    pub command: fn() -> Command,
    /// Runs the subcommand. Returns the exit status or, if the subcommand fails, 1 or 2 with a message.
    pub run: Run,
}

/// Runs the command line of this process. Returns the exit status: 1 if the command failed, 2 if it could not run.
#[doc(hidden)]
#[must_use]
pub fn main(others: &[Subcommand]) -> ExitCode {
    let matches = match whole_command(others).try_get_matches() {
        Ok(matches) => matches,
        Err(why) => return not_run(&why),
    };
    match answer(&matches, others) {
        Ok(status) => ExitCode::from(status),
        Err(Failure::Failed(why)) => {
            out::complain(format_args!("{why}"));
            ExitCode::from(1)
        }
        Err(Failure::Unusable(why)) => {
            out::complain(format_args!("{why}"));
            ExitCode::from(2)
        }
    }
}

fn whole_command(others: &[Subcommand]) -> Command {
    command::command(others.iter().map(|other| (other.command)()).collect())
}

/// Prints the help text, the version, or a message about an invalid command line.
fn not_run(why: &clap::Error) -> ExitCode {
    let text = why.render().to_string();
    // The error quotes text from the command line, so each line is escaped like a name.
    let lines: Vec<String> = text.trim_end().lines().map(|line| shown::shown(line.as_bytes())).collect();
    match why.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            say!("{}", text.trim_end());
            ExitCode::SUCCESS
        }
        _ => {
            out::complain(format_args!("{}", lines.join("\n")));
            ExitCode::from(2)
        }
    }
}

/// Runs the command, and returns its exit status.
fn answer(matches: &ArgMatches, others: &[Subcommand]) -> Result<u8, Failure> {
    match matches.subcommand() {
        None => proof::print(matches.get_flag("static"), matches.get_flag("json"))?,
        Some(("flags", matches)) => {
            let compiler = matches.get_one::<std::ffi::OsString>("compiler").map(|name| name.as_os_str());
            let kind = ["flang", "c", "script"].into_iter().find(|kind| matches.get_flag(kind));
            let kind = kind.or(compiler.map(|_| "flang"));
            let prefix = matches.get_one::<std::path::PathBuf>("prefix").map(|prefix| prefix.as_path());
            flags::print(prefix, kind, compiler, matches.get_flag("json"))?;
        }
        Some(("dump", matches)) => dump::run(matches)?,
        Some(("audit", matches)) => return audit::run(matches),
        Some(("run", matches)) => return Err(run::run(matches)),
        Some(("completions", matches)) => {
            let mut text = Vec::new();
            if let Some(&shell) = matches.get_one::<clap_complete::Shell>("shell") {
                clap_complete::generate(shell, &mut whole_command(others), "statictramp", &mut text);
            }
            say!("{}", String::from_utf8_lossy(&text).trim_end());
        }
        Some(("man", _)) => say!("{}", manual(whole_command(others))?.trim_end()),
        Some((name, matches)) => {
            return others
                .iter()
                .find(|other| (other.command)().get_name() == name)
                .map_or(Ok(0), |other| run_other(other, matches));
        }
    }
    Ok(0)
}

/// Runs a subcommand of another crate. Escapes its messages, which may quote raw names.
fn run_other(other: &Subcommand, matches: &ArgMatches) -> Result<u8, Failure> {
    fn print(line: &str) {
        say!("{line}");
    }
    fn warn(text: &str) {
        out::complain(format_args!("{}", shown::shown(text.as_bytes())));
    }
    (other.run)(matches, print, warn).map_err(|(status, why)| {
        let why = shown::shown(why.as_encoded_bytes());
        if status == 1 { Failure::Failed(why) } else { Failure::Unusable(why) }
    })
}

/// Returns the text of the manual page. The page covers all subcommands.
fn manual(command: Command) -> Result<String, Failure> {
    let mut text = Vec::new();
    manual_to(command, &mut text).map_err(|why| Failure::Failed(format!("the manual page: {why}")))?;
    String::from_utf8(text).map_err(|why| Failure::Failed(format!("the manual page: {why}")))
}

fn manual_to(mut command: Command, text: &mut Vec<u8>) -> std::io::Result<()> {
    command.build();
    let page = clap_mangen::Man::new(command.clone());
    page.render_title(text)?;
    page.render_name_section(text)?;
    page.render_synopsis_section(text)?;
    page.render_description_section(text)?;
    page.render_options_section(text)?;
    for subcommand in command.get_subcommands().filter(|it| it.get_name() != "help") {
        let name = subcommand.get_name();
        text.extend(format!(".SH STATICTRAMP {}\n", name.to_uppercase()).bytes());
        let page = clap_mangen::Man::new(subcommand.clone());
        let mut section = Vec::new();
        page.render_synopsis_section(&mut section)?;
        page.render_description_section(&mut section)?;
        page.render_options_section(&mut section)?;
        // The sections of a subcommand's page become subsections of this page.
        text.extend(String::from_utf8_lossy(&section).replace(".SH ", ".SS ").bytes());
    }
    page.render_extra_section(text)?;
    text.extend(b".SH SEE ALSO\n\\fBstatictramp\\fR(3), \\fBPR_SET_MDWE\\fR(2const), \\fBld\\fR(1)\n");
    Ok(())
}
