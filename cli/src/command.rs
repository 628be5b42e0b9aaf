//! The command line, from which help, completions and the manual page are generated.

use clap::builder::OsStringValueParser;
use clap::{Arg, ArgAction, ArgGroup, Command, value_parser};
use clap_complete::Shell;
use std::path::PathBuf;

/// Help text on the exit status, for commands that do not have a more specific one.
const EXIT_STATUS: &str = "Exit status: 0 if all is well, 1 if something was found or failed, 2 if the command line is \
     invalid or an input cannot be read.";

/// Help text for subcommands and options that read `/proc` or need a feature of the Linux kernel.
const HERE: &str = if cfg!(windows) { " (on Linux only)" } else { "" };

pub fn command() -> Command {
    Command::new("statictramp")
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .about("Trampolines without writable and executable memory: shows the properties of this machine and build, and verifies them")
        .long_about(format!(
            "Without a subcommand: shows the properties of this machine and build, and verifies them with closures that libc \
             calls{}.",
            if cfg!(windows) { "" } else { ", while the kernel denies writable and executable memory" },
        ))
        .after_help(EXIT_STATUS)
        .args_conflicts_with_subcommands(true)
        .arg(
            Arg::new("static")
                .long("static")
                .action(ArgAction::SetTrue)
                .help("Use only the static table: do not grow, and try no forbidden operation")
                .long_help(
                    "Use only the static table: do not let it grow, and try no forbidden operation. Under a filter that kills \
                     processes that request executable memory, the program then survives.",
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
                .about("Prints a shell script that completes this program's arguments")
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
        .about("Prints the flags for using libstatictramp")
        .long_about(
            "Prints the flags for using the libstatictramp that capi/install.sh has installed: below --prefix, \
             else where pkg-config finds it, else around this program, else below /usr/local or /usr. If flang/install.sh \
             has installed several plugins beside it, the one for the latest LLVM is used.",
        )
        .after_help(EXIT_STATUS)
        .arg(
            Arg::new("prefix")
                .long("prefix")
                .value_name("DIRECTORY")
                .value_parser(value_parser!(PathBuf))
                .help("Installation prefix of libstatictramp"),
        )
        .arg(kind("flang", "Only the flags for flang, with the plugin"))
        .arg(kind("c", "Only the flags for C"))
        .arg(kind("script", "Only the linker flag that gives the slots separate pages"))
        .arg(json("Print one JSON object").conflicts_with("kind"))
        .group(ArgGroup::new("kind"))
}

fn dump() -> Command {
    Command::new("dump")
        .display_name("statictramp dump")
        .about(format!("Lists the live trampolines of a process{HERE}"))
        .long_about(format!(
            "Lists the live trampolines of a process, with the variables that their procedures have captured if a file \
             describes the layout{HERE}."
        ))
        .after_help(EXIT_STATUS)
        .arg(
            Arg::new("pid")
                .required(true)
                .value_name("PID")
                .value_parser(OsStringValueParser::new())
                .help("The process ID"),
        )
        .arg(
            Arg::new("layout")
                .long("layout")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("File of layouts of captured variables: each line has a procedure's symbol and its layout"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("N")
                .default_value("60")
                .value_parser(value_parser!(u32))
                .help("Give up after this number of seconds"),
        )
        .arg(json("Print one JSON object"))
}

const IN_PLACE: &str = if cfg!(windows) {
    "With --clear: replace the file itself (not on this system)"
} else {
    "With --clear: replace the file itself"
};

fn audit() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("audit")
        .display_name("statictramp audit")
        .about("Reports files that request an executable stack, that need it, or that write trampolines without requesting it")
        .long_about(
            "Reports programs, libraries, objects, archives and packages (.deb, .rpm, .whl, .apk, .tar.*, .zip) that request an executable stack, whether they need it, and \
             those that write trampolines without requesting it and so will crash, with advice. Directories are searched; \
             files in them without findings are not listed.",
        )
        .after_help(
            "Exit status: 0 if nothing was found, 1 if something was, 2 if an input cannot be read, the report cannot be \
             written, or the command line is invalid.",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .required_unless_present_any(["pid", "schema"])
                .help("Files, archives, packages, and directories to search"),
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
        .arg(flag("all", "Print every file, not only those with findings"))
        .arg(flag("quick", "Read headers only: do not search code or unpack packages"))
        .arg(
            Arg::new("machine")
                .long("machine")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Examine only files for this processor, such as x86-64, i386, aarch64, arm; may be repeated"),
        )
        .arg(
            Arg::new("exclude")
                .long("exclude")
                .value_name("PATTERN")
                .action(ArgAction::Append)
                .value_parser(OsStringValueParser::new())
                .help("Skip files and directories whose whole name matches: * stands for any characters, ? for one"),
        )
        .arg(
            Arg::new("exceptions")
                .long("exceptions")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("File of accepted findings: each line has a pattern of names, a tag, and the reason"),
        )
        .arg(
            Arg::new("objects")
                .long("objects")
                .value_name("PATH")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("Directory of objects, or a link map (-Wl,-Map): name the objects that cause the flag"),
        )
        .arg(flag("clear", "For each FILE that requests an executable stack without needing one, write a copy FILE.cleared that does not request it"))
        .arg(flag("in-place", IN_PLACE).requires("clear"))
        .arg(json("Print one JSON object, which --schema describes").conflicts_with("format"))
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["text", "json", "sarif"])
                .help("Format of the output; sarif is SARIF 2.1.0"),
        )
        .arg(flag("schema", "Print the JSON Schema of the JSON output, and end"))
}

fn run() -> Command {
    Command::new("run")
        .display_name("statictramp run")
        .about(format!("Runs a program to which the kernel denies writable and executable memory{HERE}"))
        .long_about(format!(
            "Runs a program; the kernel denies it and its children writable and executable memory, and making memory \
             executable later (PR_SET_MDWE, Linux 6.3){HERE}. With --emulate, runs a program that puts trampolines on its stack, \
             and its children, with stacks that are not executable: nothing is rebuilt. The exit status is the program's own, \
             or 2 if it cannot be run."
        ))
        .arg(Arg::new("emulate").long("emulate").action(ArgAction::SetTrue).help(
            "Run a program that needs an executable stack without one (x86-64, glibc)",
        ))
        .arg(
            Arg::new("report")
                .long("report")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .requires("emulate")
                .help("With --emulate: when the program ends, write the list of its jumps to the stack to FILE"),
        )
        .arg(
            Arg::new("command")
                .required(true)
                .value_names(["PROGRAM", "ARG"])
                .num_args(1..)
                .trailing_var_arg(true)
                .value_parser(OsStringValueParser::new())
                .help("The program to run, looked up in PATH, and its arguments"),
        )
}

fn captures() -> Command {
    Command::new("captures")
        .display_name("statictramp captures")
        .about("Lists the arguments whose addresses the procedures called by a Fortran source do not keep")
        .long_about(
            "Lists the arguments whose addresses the procedures called by a Fortran source do not keep, by the rules of the \
             language: the list for STATICTRAMP_KEEPS_NOT, which allows the plugin for flang to let the optimizer move stores \
             past calls. The compiler's front end analyses the source; if its dump cannot be parsed, the list is empty and a \
             warning is printed.",
        )
        .after_help(
            "Exit status: 0 if the list was printed, 1 if the compiler rejects the source, 2 if the command line is invalid or \
             an input cannot be read; with --compile the compiler's own.",
        )
        .arg(Arg::new("compile").long("compile").action(ArgAction::SetTrue).help(
            "Compile with this list and that of STATICTRAMP_KEEPS_NOT; other compiler invocations pass through unchanged",
        ))
        .arg(
            Arg::new("keeps")
                .long("keeps")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("A procedure that keeps its arguments, against the rules: make no promise about it"),
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
