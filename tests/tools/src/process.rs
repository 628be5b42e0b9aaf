//! Processes that run while a test examines them.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process in the background, which is killed when this value is dropped.
pub struct Process {
    child: Child,
    output: PathBuf,
}

impl Process {
    /// Starts a command whose standard output is written to a file.
    #[track_caller]
    pub fn start(command: impl Into<Command>, output: impl AsRef<Path>) -> Process {
        let mut command = command.into();
        let file = File::create(&output).expect("a file for the output of a process");
        let child = command.stdin(Stdio::null()).stdout(file).spawn();
        let child = child.unwrap_or_else(|why| panic!("{command:?}: {why}"));
        Process { child, output: output.as_ref().to_owned() }
    }

    /// Starts a command, and waits until it has written "ready".
    #[track_caller]
    pub fn ready(command: impl Into<Command>, output: impl AsRef<Path>) -> Process {
        let process = Process::start(command, output);
        process.wait_for("ready");
        process
    }

    /// Returns the process number, as text.
    pub fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// Returns the standard output so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.output).expect("the output of a process")).into_owned()
    }

    /// Waits until the process has written a text.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        wait_until(&format!("\"{text}\" in {}", self.output.display()), || self.text().contains(text));
    }

    /// Waits until the process runs this program, instead of the one that starts it, and sleeps.
    #[track_caller]
    pub fn wait_until_sleeps(&self, program: &Path) {
        let of = |path: &Path| std::fs::metadata(path).map(|it| (it.dev(), it.ino())).ok();
        let (process, program) = (PathBuf::from(format!("/proc/{}", self.id())), of(program));
        wait_until("a process to sleep", || {
            let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
            of(&process.join("exe")) == program && status.contains("\nState:\tS")
        });
    }

    /// Waits for the process to end.
    pub fn wait(&mut self) {
        _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Waits until the condition is true, for at most 10 seconds.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(10), "timed out after 10 seconds waiting for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
