//! What is said on standard output and standard error. Neither may end the program by a panic: who reads may stop, a disk
//! may be full.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Why a command has not done what was asked.
pub enum Failure {
    /// It was tried. The exit code is 1.
    Failed(String),
    /// It makes no sense, or something cannot be read. The exit code is 2.
    Unusable(String),
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Failure::Failed(why)
    }
}

/// Set while standard output is waited for, for as long as its reader likes. Relaxed: a word by itself.
static WRITING: AtomicBool = AtomicBool::new(false);

/// Whether standard output is waited for.
#[cfg_attr(windows, allow(dead_code))] // for what reads processes
pub fn is_writing() -> bool {
    WRITING.load(Relaxed)
}

/// Writes a line, as `println!` does. If its reader has gone, as `head` goes, the rest is not wanted, and the program ends
/// with 0; if it cannot be written otherwise, with 1.
macro_rules! say {
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}
pub(crate) use say;

/// What `say!` stands for.
pub fn line(text: fmt::Arguments<'_>) {
    let mut out = io::stdout().lock();
    WRITING.store(true, Relaxed);
    let written = out.write_fmt(text).and_then(|()| out.write_all(b"\n"));
    WRITING.store(false, Relaxed);
    match written {
        Ok(()) => {}
        Err(why) if is_gone(&why) => std::process::exit(0),
        Err(why) => {
            complain(format_args!("standard output: {why}"));
            std::process::exit(1)
        }
    }
}

/// Whether who reads has gone, and the rest is not wanted.
pub fn is_gone(why: &io::Error) -> bool {
    const ERROR_PIPE_NOT_CONNECTED: i32 = 233; // has no name in std
    why.kind() == ErrorKind::BrokenPipe
        || cfg!(windows) && why.raw_os_error() == Some(ERROR_PIPE_NOT_CONNECTED)
}

/// Whether a terminal takes sequences for colours and the like. The consoles of Windows do once they are told to; other
/// terminals there set TERM.
pub fn takes_sequences() -> bool {
    std::env::var_os("TERM").map_or(!cfg!(windows), |terminal| terminal != "dumb")
}

/// Writes a line to standard error, if that can be.
pub fn complain(what: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "statictramp: {what}");
}
