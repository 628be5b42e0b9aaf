//! Writes to standard output and standard error. Write errors must not cause a panic: the reader may have exited, or
//! the disk may be full.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Reasons why a command failed.
pub enum Failure {
    /// The operation failed. The exit status is 1.
    Failed(String),
    /// The command line is invalid, or an input cannot be read. The exit status is 2.
    Unusable(String),
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Failure::Failed(why)
    }
}

/// True while a write to standard output is in progress. (The write may block until the reader continues.) Relaxed: no
/// other data depends on the flag.
static WRITING: AtomicBool = AtomicBool::new(false);

/// Returns whether a write to standard output is in progress (and possibly blocked).
#[cfg_attr(windows, allow(dead_code))] // used only by code that reads processes
pub fn is_writing() -> bool {
    WRITING.load(Relaxed)
}

/// Writes a line, like `println!`. If the reader has exited and needs no more output (as with `head`), the program
/// exits with status 0. After any other write error, it exits with status 1.
macro_rules! say {
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}
pub(crate) use say;

/// Implements `say!`.
pub fn line(text: fmt::Arguments<'_>) {
    let mut out = io::stdout().lock();
    WRITING.store(true, Relaxed);
    let written = out.write_fmt(text).and_then(|()| out.write_all(b"\n"));
    WRITING.store(false, Relaxed);
    match written {
        Ok(()) => {}
        Err(why) if reader_exited(&why) => std::process::exit(0),
        Err(why) => {
            complain(format_args!("cannot write to standard output: {why}"));
            std::process::exit(1)
        }
    }
}

/// Returns whether the reader has exited and thus needs no further output.
pub fn reader_exited(why: &io::Error) -> bool {
    const ERROR_PIPE_NOT_CONNECTED: i32 = 233; // std has no `ErrorKind` for this error
    why.kind() == ErrorKind::BrokenPipe
        || cfg!(windows) && why.raw_os_error() == Some(ERROR_PIPE_NOT_CONNECTED)
}

/// Returns whether the terminal supports escape sequences. Windows consoles do so once they are switched to the
/// corresponding mode. Other terminals on Windows set TERM.
pub fn takes_sequences() -> bool {
    std::env::var_os("TERM").map_or(!cfg!(windows), |terminal| terminal != "dumb")
}

/// Writes a line to standard error. A write error is ignored.
pub fn complain(what: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "statictramp: {what}");
}
