//! The program `statictramp`; its code is in the library.

fn main() -> std::process::ExitCode {
    statictramp_cli::main()
}
