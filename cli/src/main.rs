//! `statictramp`: shows what this machine and build give, and proves it on the spot.

mod audit;
mod dump;
mod flags;
mod job;
mod kernel;
mod out;
mod shown;
mod table;
mod watch;

use out::{Failure, say};
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "\
usage: statictramp            show what this machine and build give, and prove it
       statictramp flags [--prefix DIRECTORY] [--flang | --c | --script]
                              what to add to a command line, with the C library that
                              capi/install.sh has laid down: there, else where
                              pkg-config finds it, else around this program
       statictramp dump PID [--layout FILE] [--seconds N]
                              the live trampolines of a process; with what their
                              procedures have captured, where FILE says how that
                              lies: each line a procedure's symbol and its layout;
                              ends after N seconds at the latest (60)
       statictramp audit PATH... | --pid N  [--json] [--clear]
                              which files ask for an executable stack, which of
                              them need it, and which write trampolines without
                              asking: exit status 0 none, 1 some, 2 unreadable
       statictramp --help | --version";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match run(&arguments) {
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

/// The exit status, where nothing went wrong.
fn run(arguments: &[OsString]) -> Result<u8, Failure> {
    // Those that are not UTF-8 can be names of files only.
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or("")).collect();
    match words[..] {
        [] => prove()?,
        ["flags", ref wanted @ ..] => flags::print(wanted)?,
        ["dump", ..] => dump::print(&wanted(arguments)?)?,
        ["audit", ..] => return audit::run(&arguments[1..]).map_err(Failure::Unusable),
        ["--help" | "-h" | "help"] => say!("{USAGE}"),
        ["--version" | "-V"] => say!("statictramp {}", env!("CARGO_PKG_VERSION")),
        _ => return Err(not_understood(arguments)),
    }
    Ok(0)
}

/// What `dump` is asked for.
fn wanted(arguments: &[OsString]) -> Result<dump::Wanted<'_>, Failure> {
    let (mut process, mut layouts, mut limit) = (None, None, Duration::from_secs(60));
    let mut left = arguments.iter().skip(1);
    while let Some(argument) = left.next() {
        let value = match argument.to_str() {
            Some("--layout") => {
                layouts = Some(left.next().ok_or_else(|| not_understood(arguments))?.as_os_str());
                continue;
            }
            Some("--seconds") => left.next().and_then(|value| value.to_str()?.parse::<u32>().ok()),
            _ if process.is_none() => {
                process = Some(argument.as_os_str());
                continue;
            }
            _ => None,
        };
        limit = Duration::from_secs(value.ok_or_else(|| not_understood(arguments))?.into());
    }
    let process: &OsStr = process.ok_or_else(|| not_understood(arguments))?;
    Ok(dump::Wanted { process, layouts, limit })
}

fn not_understood(arguments: &[OsString]) -> Failure {
    let words: Vec<String> = arguments.iter().map(|word| shown::shown(word.as_encoded_bytes())).collect();
    Failure::Unusable(format!("what is \"{}\"?\n{USAGE}", words.join(" ")))
}

/// The main job.
fn prove() -> Result<(), String> {
    let restriction = kernel::deny_writable_and_executable();
    let layout = statictramp::layout();

    table::heading("this build");
    table::row("trampolines", layout.slots);
    table::row("a stub, in code", format!("{} bytes", layout.stub_stride));
    table::row("a slot, in data", format!("{} bytes", layout.slot_stride));
    table::row("all else, together", format!("{} bytes", layout.bookkeeping));
    table::row("landing pads", if layout.landing_pads { "endbr64 in each stub" } else { "none" });
    table::row(
        "a freed slot",
        if layout.strict_reuse { "waits until all are used" } else { "is back at once for its own callee" },
    );

    table::heading("this machine");
    table::row("system", kernel::system());
    table::row("page", format!("{} bytes", kernel::page_size()));
    table::row("no W+X (PR_SET_MDWE)", &restriction);
    table::row("the rule holds", kernel::probe(&restriction)?);

    table::heading("closures as plain function pointers");
    let done = job::run()?;
    table::row("called back from C", format!("{} times, every answer right", done.calls));
    table::row("alive at once", format!("{} of {}", done.most, layout.slots));
    match done.grown {
        Ok(most) => table::row("and when it grows", format!("{most} of {}", statictramp::capacity())),
        Err(why) => table::row("it does not grow", why),
    }
    table::row("alive now", none_left()?);
    table::row("mappings W+X", kernel::no_writable_and_executable_mapping()?);
    say!("");
    Ok(())
}

fn none_left() -> Result<usize, String> {
    match statictramp::live() {
        0 => Ok(0),
        left => Err(format!("{left} trampolines were not freed")),
    }
}
