//! Commands as lines of text.

use crate::{root, spawn};
use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// A command that runs in the top directory of the checkout. The words of the line contain no blanks.
pub struct Line(Command);

impl Line {
    /// Adds a word, which may contain blanks.
    pub fn arg(mut self, word: impl AsRef<OsStr>) -> Line {
        self.0.arg(word);
        self
    }

    /// Adds words, which may contain blanks.
    pub fn args<T: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = T>) -> Line {
        self.0.args(words);
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Line {
        self.0.env(name, value);
        self
    }
}

impl From<Line> for Command {
    fn from(line: Line) -> Command {
        line.0
    }
}

/// Returns the command in a line of words, the first of which may set variables (`NAME=VALUE`). [`line!`](crate::line) formats
/// the line.
#[track_caller]
pub fn command(line: &str) -> Line {
    let mut words = line.split_whitespace().peekable();
    let mut variables = Vec::new();
    while let Some(variable) = words.peek().and_then(|word| word.split_once('=')) {
        variables.push(variable);
        words.next();
    }
    let mut command = Command::new(words.next().unwrap_or_else(|| panic!("no command in \"{line}\"")));
    command.args(words).envs(variables).current_dir(root());
    Line(command)
}

/// A command from a formatted line of words: `line!("gcc -O2 {source} -o {out}/program")`.
#[macro_export]
macro_rules! line {
    ($($text:tt)*) => { $crate::command(&format!($($text)*)) };
}

/// Returns a call to a function in `tests/legs/lib.sh`. Its words contain no blanks.
pub fn function(call: &str) -> Line {
    let script = "targets='' run_state=${run_state-} && source tests/legs/lib.sh && \"$@\"";
    command("bash -euc").arg(script).arg("bash").args(call.split_whitespace())
}

/// Returns the standard output of a command, whose messages and exit status do not matter.
#[track_caller]
pub fn printed(line: &str) -> String {
    printed_by(command(line))
}

/// Does the same as [`printed`], for a command that has words with blanks.
#[track_caller]
pub fn printed_by(line: Line) -> String {
    let mut command = Command::from(line);
    let child = spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()));
    let output = child.wait_with_output().expect("the output of a command");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
