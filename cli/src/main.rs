//! `statictramp`: shows what this machine and build give, and proves it on the spot.

mod captured;
mod dump;
mod flags;
mod job;
mod kernel;
mod table;

use std::process::ExitCode;

const USAGE: &str = "\
usage: statictramp            show what this machine and build give, and prove it
       statictramp flags [--prefix DIRECTORY] [--flang | --c | --script]
                              what to add to a command line, with the C library that
                              capi/install.sh has laid down: there, else where
                              pkg-config finds it, else around this program
       statictramp dump PID [--layout FILE]
                              the live trampolines of a process; with what their
                              procedures have captured, where FILE says how that
                              lies: each line a procedure's symbol and its layout
       statictramp --help | --version";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        [] => prove(),
        ["flags", ref wanted @ ..] => flags::print(wanted),
        ["dump", process] => dump::print(process, None),
        ["dump", process, "--layout", file] | ["dump", "--layout", file, process] => {
            dump::print(process, Some(file))
        }
        ["--help" | "-h" | "help"] => {
            println!("{USAGE}");
            Ok(())
        }
        ["--version" | "-V"] => {
            println!("statictramp {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
        _ => Err(format!("what is \"{}\"?\n{USAGE}", arguments.join(" "))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("statictramp: {why}");
            ExitCode::FAILURE
        }
    }
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
    println!();
    Ok(())
}

fn none_left() -> Result<usize, String> {
    match statictramp::live() {
        0 => Ok(0),
        left => Err(format!("{left} trampolines were not freed")),
    }
}
