//! Whether a process ended as one does whose code aborts.

use std::process::ExitStatus;

/// By a signal.
#[cfg(unix)]
pub fn aborted(status: ExitStatus) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(libc::SIGABRT)
}

/// By `__fastfail`, whose status is STATUS_STACK_BUFFER_OVERRUN whatever the reason was.
#[cfg(windows)]
pub fn aborted(status: ExitStatus) -> bool {
    status.code() == Some(0xc000_0409_u32 as i32)
}
