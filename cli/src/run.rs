//! `statictramp run`: runs another program, while the kernel denies it writable and executable memory.

use crate::kernel::{Restriction, deny_writable_and_executable};
use crate::out::Failure;
use crate::shown::shown;
use clap::ArgMatches;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Replaces this process by the program, whose exit status becomes the result. Returns only if this fails.
pub fn run(matches: &ArgMatches) -> Failure {
    let mut words = matches.get_many::<OsString>("command").into_iter().flatten();
    let Some(program) = words.next() else {
        return Failure::Unusable("run requires a program and its arguments".into());
    };
    match deny_writable_and_executable() {
        Restriction::InForce => {}
        without => return Failure::Unusable(format!("PR_SET_MDWE: {without}; the program was not run")),
    }
    let mut command = Command::new(program);
    command.args(words);
    // The Rust runtime ignores SIGPIPE, which the program would inherit.
    // SAFETY: no other thread is running, and SIG_DFL is not a function that a signal could call.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let why = command.exec();
    Failure::Unusable(format!("{}: {why}", shown(program.as_encoded_bytes())))
}
