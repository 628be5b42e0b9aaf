//! `statictramp run`: runs another program, under the kernel's restriction or with an emulated executable stack.

use crate::kernel::{Restriction, deny_writable_and_executable};
use crate::out::Failure;
use crate::shown::shown;
use clap::ArgMatches;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

mod emulate;

/// Replaces this process with the program, whose exit status then becomes the tool's. Returns only on failure.
pub fn run(matches: &ArgMatches) -> Failure {
    let mut words = matches.get_many::<OsString>("command").into_iter().flatten();
    let Some(program) = words.next() else {
        return Failure::Unusable("run requires a program".into());
    };
    if matches.get_flag("emulate") {
        return emulate::run(program, words, matches.get_one::<PathBuf>("report").map(PathBuf::as_path));
    }
    match deny_writable_and_executable() {
        Restriction::InForce => {}
        without => return Failure::Unusable(format!("PR_SET_MDWE: {without}; the program was not run")),
    }
    let mut command = Command::new(program);
    command.args(words);
    exec(command, program)
}

/// Replaces this process with the program. Returns only on failure.
fn exec(mut command: Command, program: &OsStr) -> Failure {
    // The Rust runtime ignores SIGPIPE, which the program would inherit.
    // SAFETY: no other thread runs, and SIG_DFL installs no handler.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let why = command.exec();
    Failure::Unusable(format!("{}: {why}", shown(program.as_encoded_bytes())))
}
