//! Processes that run while a test examines them.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Locked for reading while a process starts, and for writing while a file is written.
static STARTS: RwLock<()> = RwLock::new(());

/// Runs a function that writes a file, which may be a program. No other test starts a process in the meantime: the new process would
/// have the file open for writing until it runs a program of its own, and no program that is open for writing can be run (ETXTBSY).
pub(crate) fn while_none_starts<T>(write: impl FnOnce() -> T) -> T {
    let _lock = STARTS.write().unwrap_or_else(PoisonError::into_inner);
    write()
}

/// Starts a command. All tests start processes by this function, because others may be writing programs.
#[track_caller]
pub fn spawn(command: &mut Command) -> Child {
    let _lock = STARTS.read().unwrap_or_else(PoisonError::into_inner);
    command.spawn().unwrap_or_else(|why| panic!("{command:?}: {why}"))
}

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
        let child = spawn(command.stdin(Stdio::null()).stdout(file));
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

/// Waits until the condition is true, for at most two minutes.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(120), "timed out after two minutes waiting for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use crate::{copy_file, new_directory, spawn};
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_program_written_by_a_test_can_be_run() {
        let (directory, ends) = (new_directory("test-tools/written"), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let others = || {
                // Relaxed: only the flag is shared.
                while !ends.load(Ordering::Relaxed) {
                    spawn(&mut Command::new("true")).wait().unwrap();
                }
            };
            (0..3).for_each(|_| _ = scope.spawn(others));
            let run = std::panic::catch_unwind(|| {
                for number in 0..300 {
                    let program = directory.join(number.to_string());
                    copy_file("/bin/true", &program);
                    spawn(&mut Command::new(program)).wait().unwrap();
                }
            });
            ends.store(true, Ordering::Relaxed);
            run.expect("each program runs");
        });
    }
}
