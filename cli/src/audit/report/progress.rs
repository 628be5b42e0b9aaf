//! Progress line on the terminal while a large tree or a large file is searched.

use crate::audit::input::DONE;
use crate::out::takes_sequences;
use crate::shown::shown;
use std::io::{IsTerminal, Write, stderr};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// The delay before the first update, and the interval between updates.
const FIRST: Duration = Duration::from_millis(500);
const AGAIN: Duration = Duration::from_millis(100);
/// Maximum length, in characters, of a path on the progress line.
const LONGEST: usize = 60;

pub struct Progress {
    /// `None` if standard error is not a terminal.
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

    /// Counts an audited file, and displays it if an update is due.
    pub fn at(&mut self, path: &Path) {
        self.files += 1;
        self.busy(path);
    }

    /// Shows a file that is being audited, if an update is due.
    pub fn busy(&mut self, path: &Path) {
        let Some(next) = self.next.filter(|&next| Instant::now() >= next) else { return };
        self.next = Some(next.max(Instant::now()) + AGAIN);
        self.is_shown = true;
        let name = shown(path.as_os_str().as_encoded_bytes());
        let tail: Vec<char> = name.chars().rev().take(LONGEST).collect();
        let tail: String = tail.into_iter().rev().collect();
        let searched = DONE.load(Relaxed) >> 20; // see `DONE`
        let _ = write!(stderr(), "\r\x1b[K{} files, {searched} MiB searched, {tail}", self.files);
    }

    /// Clears the line before other output.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}
