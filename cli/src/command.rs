//! Command-line definition, from which help, completions and the manual page are generated.

use clap::builder::OsStringValueParser;
use clap::{Arg, ArgAction, ArgGroup, Command, value_parser};
use clap_complete::Shell;
use std::path::PathBuf;

/// Help text about the exit status, for commands without a more specific text.
const EXIT_STATUS: &str = "Exit status: 0 on success, 1 if the command found something or failed, 2 if the command line is \
     invalid or an input cannot be read.";

/// Help text for subcommands and options that read `/proc` or need a feature of the Linux kernel.
const HERE: &str = if cfg!(windows) { " (on Linux only)" } else { "" };

/// Returns the command line. `others` are the subcommands provided by other crates.
pub fn command(others: Vec<Command>) -> Command {
    Command::new("statictramp")
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .about("Trampolines without memory that is both writable and executable: prints and verifies the properties of this machine and build")
        .long_about(format!(
            "Without a subcommand, prints the properties of this machine and build, and verifies them with closures that libc \
             calls{}.",
            if cfg!(windows) { "" } else { ", while the kernel denies writable and executable memory" },
        ))
        .after_help(EXIT_STATUS)
        .args_conflicts_with_subcommands(true)
        .arg(
            Arg::new("static")
                .long("static")
                .action(ArgAction::SetTrue)
                .help("Use only the static table: do not let it grow, and do not try to map writable and executable memory")
                .long_help(
                    "Use only the static table: do not let it grow, and do not try to map writable and \
                     executable memory. With this option, the program survives under a seccomp filter that \
                     kills processes that request executable memory.",
                ),
        )
        .arg(json("Print one JSON object instead of a table"))
        .subcommand(flags())
        .subcommand(dump())
        .subcommand(audit())
        .subcommand(run())
        .subcommands(others)
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
            "Prints the flags for using a libstatictramp installed by capi/install.sh under --prefix. \
             Without --prefix, the tool asks pkg-config, then searches near this program, then under /usr/local \
             and /usr. If flang/install.sh has installed several plugins, the one for FLANG's LLVM is used or, without \
             FLANG, the one for the latest LLVM.",
        )
        .after_help(EXIT_STATUS)
        .arg(
            Arg::new("prefix")
                .long("prefix")
                .value_name("DIRECTORY")
                .value_parser(value_parser!(PathBuf))
                .help("Installation prefix of libstatictramp"),
        )
        .arg(kind("flang", "Print only the flags for flang, including the plugin"))
        .arg(kind("c", "Print only the flags for C"))
        .arg(kind("script", "Print only the linker flag that puts the slots on separate pages"))
        .arg(
            Arg::new("compiler")
                .value_name("FLANG")
                .value_parser(OsStringValueParser::new())
                .conflicts_with_all(["c", "script", "json"])
                .help("The flang compiler to print the flags for, such as flang-new-19"),
        )
        .arg(json("Print one JSON object").conflicts_with("kind"))
        .group(ArgGroup::new("kind"))
}

fn dump() -> Command {
    Command::new("dump")
        .display_name("statictramp dump")
        .about(format!("Lists the live trampolines of a process{HERE}"))
        .long_about(format!(
            "Lists the live trampolines of a process{HERE}. If --layout names a file that describes them, also \
             prints the variables that their procedures have captured."
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
                .help("File that describes captured variables: each line contains a procedure's symbol and the \
                       layout of its variables"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("N")
                .default_value("60")
                .value_parser(value_parser!(u32))
                .help("Give up after N seconds"),
        )
        .arg(json("Print one JSON object"))
}

const IN_PLACE: &str = if cfg!(windows) {
    "With --clear: replace the file itself (not available on Windows)"
} else {
    "With --clear: replace the file itself"
};

fn audit() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("audit")
        .display_name("statictramp audit")
        .about("Reports files that request or need an executable stack, or that write trampolines without requesting one")
        .long_about(
            "Reports programs, libraries, objects, archives and packages (.deb, .rpm, .whl, .apk, .tar.*, .zip) \
             that request an executable stack, and whether they need one. Also reports those that write \
             trampolines on the stack without requesting an executable one, and will therefore crash. The report \
             suggests remedies. Directories are searched; files in them without findings are not listed.",
        )
        .after_help(
            "Exit status: 0 if there are no findings or --clear has cleared all of them, 1 if there are findings, 2 if an \
             input cannot be read, the report cannot be written, or the command line is invalid.",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .required_unless_present_any(["pid", "schema"])
                .help("Files, archives, packages, and directories to search; - reads standard input"),
        )
        .arg(
            Arg::new("pid")
                .long("pid")
                .value_name("N")
                .value_parser(value_parser!(u32))
                .help(format!(
                    "Examine a running process: its mappings, the files whose code it has mapped, and trampolines \
                     on its stacks{HERE}"
                )),
        )
        .arg(flag("all", "Print every file, not only those with findings"))
        .arg(flag("quick", "Read headers only: do not search code or unpack packages"))
        .arg(
            flag(
                "hardening",
                "Print one line on the hardening of each file: stack, PIE, RELRO, BIND_NOW, canaries, FORTIFY, IBT, \
                 SHSTK, BTI, and text relocations",
            )
            .conflicts_with("quick"),
        )
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
                .help("Skip files and directories whose full name matches PATTERN: * stands for any characters, and ? for one character"),
        )
        .arg(
            Arg::new("one-file-system")
                .short('x')
                .long("one-file-system")
                .action(ArgAction::SetTrue)
                .help("Skip directories on file systems other than those of the given paths; pseudo file systems such as /proc are always skipped"),
        )
        .arg(flag("strict", "Treat a file that is skipped, such as a package in an unsupported format, as an error"))
        .arg(
            Arg::new("exceptions")
                .long("exceptions")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("File of accepted findings: each line contains a pattern for file names, a tag, and the reason"),
        )
        .arg(
            Arg::new("objects")
                .long("objects")
                .value_name("PATH")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("Name the objects that cause a file to request an executable stack; PATH is a directory of \
                       objects or a link map (-Wl,-Map)"),
        )
        .arg(flag("clear", "For each FILE that requests an executable stack without needing one, write a copy FILE.cleared that does not request it"))
        .arg(flag("in-place", IN_PLACE).requires("clear"))
        .arg(json("Print one JSON object (described by --schema)").conflicts_with("format"))
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["text", "json", "sarif"])
                .help("Format of the output; sarif is SARIF 2.1.0"),
        )
        .arg(flag("schema", "Print the JSON Schema of the JSON output, and exit"))
}

fn run() -> Command {
    Command::new("run")
        .display_name("statictramp run")
        .about(format!("Runs a program while the kernel denies it writable and executable memory{HERE}"))
        .long_about(format!(
            "Runs a program under PR_SET_MDWE{HERE}. The kernel (Linux 6.3 and later) then denies the program and \
             its children memory that is both writable and executable, and does not let them make memory \
             executable later. With --emulate, instead runs an unmodified program that puts trampolines on its \
             stack, but keeps the stacks of the program and its children non-executable. The exit status is the \
             program's own, or 2 if the program cannot be run."
        ))
        .arg(Arg::new("emulate").long("emulate").action(ArgAction::SetTrue).help(
            "Run a program that needs an executable stack, but keep its stack non-executable (x86-64, glibc)",
        ))
        .arg(
            Arg::new("report")
                .long("report")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .requires("emulate")
                .help("With --emulate: when a program ends, append a list of its jumps to trampolines on a stack to FILE"),
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command(Vec::new()).debug_assert();
    }
}
