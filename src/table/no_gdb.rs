//! In place of `gdb.rs` on macOS, whose debugger does not read the list.

pub(super) struct Image;

/// Nobody is told.
///
/// # Safety
/// As of `gdb.rs`, for which this stands.
pub(super) unsafe fn announce(_image: *mut Image, _start: usize, _len: usize) {}
