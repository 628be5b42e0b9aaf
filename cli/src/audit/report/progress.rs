//! A line on the terminal while a long tree is searched.

use crate::out::takes_sequences;
use crate::shown::shown;
use std::io::{IsTerminal, Write, stderr};
use std::path::Path;
use std::time::{Duration, Instant};

/// Before that, and more often, nothing is shown.
const FIRST: Duration = Duration::from_millis(500);
const AGAIN: Duration = Duration::from_millis(100);
/// As much of a name fits on a line.
const LONGEST: usize = 60;

pub struct Progress {
    /// Nothing where standard error is not a terminal.
    next: Option<Instant>,
    files: usize,
    is_shown: bool,
}

impl Progress {
    pub fn new() -> Self {
        let is_screen = stderr().is_terminal() && takes_sequences();
        let next = is_screen.then(|| Instant::now() + FIRST);
        Progress { next, files: 0, is_shown: false }
    }

    /// A file is looked at.
    pub fn at(&mut self, path: &Path) {
        self.files += 1;
        let Some(next) = self.next.filter(|&next| Instant::now() >= next) else { return };
        self.next = Some(next.max(Instant::now()) + AGAIN);
        self.is_shown = true;
        let name = shown(path.as_os_str().as_encoded_bytes());
        let tail: Vec<char> = name.chars().rev().take(LONGEST).collect();
        let tail: String = tail.into_iter().rev().collect();
        let _ = write!(stderr(), "\r\x1b[K{} files, {tail}", self.files);
    }

    /// Something else is to be printed.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}
