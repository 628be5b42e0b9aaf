//! The `statictramp` program: the tool's library, with the subcommands from other crates.

use statictramp_cli::Subcommand;

fn main() -> std::process::ExitCode {
    statictramp_cli::main(&[Subcommand {
        command: statictramp_captures::command,
        run: statictramp_captures::run,
    }])
}
