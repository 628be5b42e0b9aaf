//! Checks that a process was aborted.

use std::process::ExitStatus;

/// Returns whether the process was ended by a signal.
#[cfg(unix)]
pub fn aborted(status: ExitStatus) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(libc::SIGABRT)
}

/// Returns whether the process was ended by `__fastfail`, whose status is STATUS_STACK_BUFFER_OVERRUN for every reason.
#[cfg(windows)]
pub fn aborted(status: ExitStatus) -> bool {
    status.code() == Some(0xc000_0409_u32 as i32)
}
