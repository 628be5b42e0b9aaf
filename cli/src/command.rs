//! The command line, from which help, completions and the manual page are generated.

use clap::builder::OsStringValueParser;
use clap::{Arg, ArgAction, ArgGroup, Command, value_parser};
use clap_complete::Shell;
use std::path::PathBuf;

/// Help text that applies to every subcommand.
const EXIT_STATUS: &str = "Exit status: 0 if all is well, 1 if something was found or failed, 2 if the command line makes no \
     sense or something cannot be read.";

/// Help text for options that read `/proc` or need a feature of Linux's kernel.
const HERE: &str = if cfg!(windows) { " (on Linux, not here)" } else { "" };

pub fn command() -> Command {
    Command::new("statictramp")
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .about("Trampolines without writable and executable memory: shows what this machine and build give, and proves it")
        .long_about(format!(
            "Without a subcommand: shows what this machine and build give, and proves it with closures that the C library \
             calls back{}.",
            if cfg!(windows) { "" } else { ", while the kernel refuses memory that is writable and executable" },
        ))
        .after_help(EXIT_STATUS)
        .args_conflicts_with_subcommands(true)
        .arg(
            Arg::new("static")
                .long("static")
                .action(ArgAction::SetTrue)
                .help("Take nothing but the static table: do not grow, and try nothing that is forbidden")
                .long_help(
                    "Take nothing but the static table: do not let it grow, and do not try what is forbidden. Under a filter \
                     that kills whoever asks for executable memory, the program then lives.",
                ),
        )
        .arg(json("Print one JSON object instead of a table"))
        .subcommand(flags())
        .subcommand(dump())
        .subcommand(audit())
        .subcommand(run())
        .subcommand(captures())
        .subcommand(
            Command::new("completions")
                .display_name("statictramp completions")
                .about("Prints what a shell needs to complete this program's arguments")
                .after_help(EXIT_STATUS)
                .arg(Arg::new("shell").required(true).value_name("SHELL").value_parser(value_parser!(Shell))),
        )
        .subcommand(Command::new("man").display_name("statictramp man").about("Prints the manual page, statictramp(1)").after_help(EXIT_STATUS))
}

fn json(help: &'static str) -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue).help(help)
}

fn flags() -> Command {
    let kind = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).group("kind").help(help)
    };
    Command::new("flags")
        .display_name("statictramp flags")
        .about("Prints what to add to a command line to use the C library")
        .long_about(
            "Prints what to add to a command line to use the C library that capi/install.sh has laid down: below --prefix, \
             else where pkg-config finds it, else around this program, else below /usr/local or /usr. Of the plugins that \
             flang/install.sh has laid down beside it, that of the latest LLVM.",
        )
        .after_help(EXIT_STATUS)
        .arg(
            Arg::new("prefix")
                .long("prefix")
                .value_name("DIRECTORY")
                .value_parser(value_parser!(PathBuf))
                .help("Where the C library is installed"),
        )
        .arg(kind("flang", "Only the flags for flang, with the plugin"))
        .arg(kind("c", "Only the flags for C"))
        .arg(kind("script", "Only the flag that gives the slots pages of their own"))
        .arg(json("Print one JSON object").conflicts_with("kind"))
        .group(ArgGroup::new("kind"))
}

fn dump() -> Command {
    Command::new("dump")
        .display_name("statictramp dump")
        .about(format!("Lists the live trampolines of a process{HERE}"))
        .long_about(format!(
            "Lists the live trampolines of a process; with what their procedures have captured, where a file says how that \
             lies{HERE}."
        ))
        .after_help(EXIT_STATUS)
        .arg(
            Arg::new("pid")
                .required(true)
                .value_name("PID")
                .value_parser(OsStringValueParser::new())
                .help("The number of the process"),
        )
        .arg(
            Arg::new("layout")
                .long("layout")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("How captured variables lie: each line a procedure's symbol and its layout"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("N")
                .default_value("60")
                .value_parser(value_parser!(u32))
                .help("End after so many seconds at the latest"),
        )
        .arg(json("Print one JSON object"))
}

const IN_PLACE: &str = if cfg!(windows) {
    "With --clear: replace the file itself (not here)"
} else {
    "With --clear: replace the file itself"
};

fn audit() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("audit")
        .display_name("statictramp audit")
        .about("Tells which files ask for an executable stack, which need it, and which write trampolines without asking")
        .long_about(
            "Tells which programs, libraries, objects and archives ask for an executable stack, which of them need it, which \
             write trampolines without asking and so will crash, and what to do about it. Directories are searched; of what is \
             in them, what needs no word gets none.",
        )
        .after_help(
            "Exit status: 0 if nothing was found, 1 if something was, 2 if something cannot be read, the report not be \
             written, or the command line makes no sense.",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .required_unless_present("pid")
                .help("Files, archives, and directories to search"),
        )
        .arg(
            Arg::new("pid")
                .long("pid")
                .value_name("N")
                .value_parser(value_parser!(u32))
                .help(format!(
                    "A running process: its mappings, the files of its code, and trampolines on its stacks{HERE}"
                )),
        )
        .arg(flag("all", "Print what is known of every file, not of those with findings alone"))
        .arg(flag("clear", "Write FILE.cleared, which does not ask, for each FILE that asks without need"))
        .arg(flag("in-place", IN_PLACE).requires("clear"))
        .arg(json("Print one JSON object"))
}

fn run() -> Command {
    Command::new("run")
        .display_name("statictramp run")
        .about(format!("Runs a program to which the kernel gives no memory that is writable and executable{HERE}"))
        .long_about(format!(
            "Runs a program to which, and to whose children, the kernel gives no memory that is writable and executable, and \
             which may not make memory executable later (PR_SET_MDWE, Linux 6.3){HERE}. The exit status is the program's own, \
             or 2 if it cannot be run."
        ))
        .arg(
            Arg::new("command")
                .required(true)
                .value_names(["PROGRAM", "ARG"])
                .num_args(1..)
                .trailing_var_arg(true)
                .value_parser(OsStringValueParser::new())
                .help("The program, looked for as a shell does, and its arguments"),
        )
}

fn captures() -> Command {
    Command::new("captures")
        .display_name("statictramp captures")
        .about("Lists the arguments whose addresses the procedures called by a Fortran source do not keep")
        .long_about(
            "Lists the arguments whose addresses the procedures called by a Fortran source do not keep, by the rules of the \
             language: the list for STATICTRAMP_KEEPS_NOT, by which the plugin for flang lets the optimizer move stores past \
             calls. The compiler's front end analyses the source; if its dump is not understood, the list is empty and a \
             warning is printed.",
        )
        .after_help(
            "Exit status: 0 if the list was printed, 1 if the compiler rejects the source, 2 if the command line makes no sense \
             or something cannot be read; with --compile the compiler's own.",
        )
        .arg(Arg::new("compile").long("compile").action(ArgAction::SetTrue).help(
            "Compile, with this list and that of STATICTRAMP_KEEPS_NOT; other uses of the compiler pass through",
        ))
        .arg(
            Arg::new("keeps")
                .long("keeps")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("A procedure that keeps what it is given, against the rules: promise nothing of it"),
        )
        .arg(
            Arg::new("command")
                .required(true)
                .value_names(["FLANG", "ARG"])
                .num_args(1..)
                .trailing_var_arg(true)
                .value_parser(OsStringValueParser::new())
                .help("The compiler and the arguments it compiles with"),
        )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
