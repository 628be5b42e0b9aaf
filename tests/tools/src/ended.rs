//! Commands that end: their exit status and their output.

use crate::spawn;
use regex::Regex;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

/// A command that is killed if it takes too long.
pub struct Job {
    command: Command,
    input: Stdio,
    output: Option<File>,
    seconds: u32,
}

impl<T: Into<Command>> From<T> for Job {
    fn from(command: T) -> Job {
        Job { command: command.into(), input: Stdio::null(), output: None, seconds: 1800 }
    }
}

impl Job {
    /// Sets standard input, which is empty otherwise.
    pub fn input(mut self, file: impl Into<Stdio>) -> Job {
        self.input = file.into();
        self
    }

    /// Writes standard output to this file, and not to [`Ended`].
    pub fn output(mut self, file: File) -> Job {
        self.output = Some(file);
        self
    }

    /// Kills the command after this time.
    pub fn within(mut self, seconds: u32) -> Job {
        self.seconds = seconds;
        self
    }

    /// Runs the command to its end. `Command::env_clear` has no effect; run `env -i` instead.
    #[track_caller]
    pub fn ended(self) -> Ended {
        let shown = format!("{:?}", self.command);
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", &self.seconds.to_string()]).arg(self.command.get_program());
        command.args(self.command.get_args());
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(directory) = self.command.get_current_dir() {
            command.current_dir(directory);
        }
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        command.stdin(self.input).stderr(writer.try_clone().expect("a pipe"));
        command.stdout(self.output.map_or_else(|| writer.into(), Stdio::from));
        let mut child = spawn(&mut command);
        drop(command); // the writers, which would keep the pipe open
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).expect("the output of a command");
        let status = child.wait().expect("the end of a command");
        // Shells report a signal like this.
        let status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        Ended { command: shown, status, text: String::from_utf8_lossy(&bytes).into_owned(), bytes }
    }
}

/// How a command ended.
pub struct Ended {
    command: String,
    /// The exit status, or 128 plus the number of the signal that killed the command.
    pub status: i32,
    /// Standard output and standard error.
    pub text: String,
    /// The bytes of `text`.
    pub bytes: Vec<u8>,
}

impl Ended {
    /// Checks the exit status.
    #[track_caller]
    pub fn ends(self, status: i32) -> Ended {
        assert!(self.status == status, "exit status {}, expected {status}: {self}", self.status);
        self
    }

    /// Checks that the exit status is at most this.
    #[track_caller]
    pub fn at_most(self, status: i32) -> Ended {
        assert!(self.status <= status, "exit status {}, expected at most {status}: {self}", self.status);
        self
    }

    /// Checks that the output contains a text.
    #[track_caller]
    pub fn has(self, text: &str) -> Ended {
        assert!(self.text.contains(text), "the output lacks \"{text}\": {self}");
        self
    }

    /// Checks that the output does not contain a text.
    #[track_caller]
    pub fn lacks(self, text: &str) -> Ended {
        assert!(!self.text.contains(text), "the output contains \"{text}\": {self}");
        self
    }

    /// Checks that the output matches a regular expression, in which `^` and `$` match at line ends.
    #[track_caller]
    pub fn matches(self, pattern: &str) -> Ended {
        assert!(self.count(pattern) > 0, "no match of \"{pattern}\" in the output: {self}");
        self
    }

    /// Checks how often the output matches a regular expression.
    #[track_caller]
    pub fn matches_times(self, times: usize, pattern: &str) -> Ended {
        let count = self.count(pattern);
        assert!(count == times, "{count} matches of \"{pattern}\", expected {times}: {self}");
        self
    }

    /// Counts the matches of a regular expression, in which `^` and `$` match at line ends.
    pub fn count(&self, pattern: &str) -> usize {
        multi_line(pattern).find_iter(&self.text).count()
    }

    /// Returns group 1 of the first match of a regular expression, in which `^` and `$` match at line ends.
    #[track_caller]
    pub fn group(&self, pattern: &str) -> String {
        let found = multi_line(pattern).captures(&self.text);
        found.unwrap_or_else(|| panic!("no match of \"{pattern}\" in the output: {self}"))[1].to_owned()
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        const MOST: usize = 10_000;
        let mut cut = self.text.len().saturating_sub(MOST);
        while !self.text.is_char_boundary(cut) {
            cut += 1;
        }
        write!(formatter, "{}\n{}", self.command, &self.text[cut..])
    }
}

/// Returns a regular expression, in which `^` and `$` match at line ends.
pub fn multi_line(pattern: &str) -> Regex {
    Regex::new(&format!("(?m){pattern}")).expect("a regular expression")
}

/// Runs a command and checks how it ends.
pub trait Expect: Into<Command> + Sized {
    /// Runs the command, whose exit status the caller checks.
    #[track_caller]
    fn ended(self) -> Ended {
        Job::from(self).ended()
    }

    /// Checks the exit status.
    #[track_caller]
    fn ends(self, status: i32) -> Ended {
        self.ended().ends(status)
    }

    /// Checks that the command succeeds.
    #[track_caller]
    fn passes(self) -> Ended {
        self.ends(0)
    }

    /// Checks that the command fails with this exit status and that its output contains the text.
    #[track_caller]
    fn fails_with(self, status: i32, text: &str) -> Ended {
        self.ends(status).has(text)
    }

    /// Kills the command after this time.
    fn within(self, seconds: u32) -> Job {
        Job::from(self).within(seconds)
    }

    /// Sets standard input.
    fn input(self, file: impl Into<Stdio>) -> Job {
        Job::from(self).input(file)
    }

    /// Writes standard output to this file.
    fn output_to(self, file: File) -> Job {
        Job::from(self).output(file)
    }
}

impl<T: Into<Command>> Expect for T {}
