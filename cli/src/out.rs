//! Output on standard output and standard error. A failure to write must not cause a panic: the reader may exit, or the
//! disk may be full.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Reasons why a command failed.
pub enum Failure {
    /// The attempt failed. The exit status is 1.
    Failed(String),
    /// The command line is invalid, or an input cannot be read. The exit status is 2.
    Unusable(String),
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Failure::Failed(why)
    }
}

/// Set while a write to standard output blocks, which may last as long as the reader likes. Relaxed: the flag is
/// independent of other data.
static WRITING: AtomicBool = AtomicBool::new(false);

/// Returns whether a write to standard output blocks.
#[cfg_attr(windows, allow(dead_code))] // used by code that reads processes
pub fn is_writing() -> bool {
    WRITING.load(Relaxed)
}

/// Writes a line, like `println!`. If the reader has exited, as `head` does, the rest of the output is unwanted and the
/// program exits with status 0; after any other write error it exits with 1.
macro_rules! say {
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}
pub(crate) use say;

/// Implementation of `say!`.
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

/// Returns whether the reader has exited, so that the rest of the output is unwanted.
pub fn is_gone(why: &io::Error) -> bool {
    const ERROR_PIPE_NOT_CONNECTED: i32 = 233; // has no name in std
    why.kind() == ErrorKind::BrokenPipe
        || cfg!(windows) && why.raw_os_error() == Some(ERROR_PIPE_NOT_CONNECTED)
}

/// Returns whether the terminal supports escape sequences. Windows consoles do after they are switched to that mode;
/// other terminals there set TERM.
pub fn takes_sequences() -> bool {
    std::env::var_os("TERM").map_or(!cfg!(windows), |terminal| terminal != "dumb")
}

/// Writes a line to standard error; a failure is ignored.
pub fn complain(what: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "statictramp: {what}");
}
