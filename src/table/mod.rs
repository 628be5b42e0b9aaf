//! The table of stubs and slots in memory, and its growth.

#[cfg(all(growing, target_os = "linux"))]
mod gdb;
#[cfg(all(growing, not(windows)))]
mod geometry;
#[cfg(growing)]
#[cfg_attr(windows, path = "grow_windows.rs")]
mod grow;
#[cfg(not(portable))]
mod linked;
#[cfg(all(growing, not(windows)))]
#[cfg_attr(target_os = "linux", path = "pages_linux.rs")]
#[cfg_attr(target_os = "macos", path = "pages_macos.rs")]
mod pages;
#[cfg(portable)]
mod portable;
#[cfg(growing)]
#[cfg_attr(not(target_os = "linux"), path = "no_row.rs")]
pub(crate) mod row;
#[cfg(all(growing, not(target_os = "macos")))]
pub(crate) mod same_code;
#[cfg(not(compact))]
mod thread;

#[cfg(growing)]
pub(crate) use grow::why_not;
#[cfg(all(test, growing, not(any(target_os = "macos", miri))))]
pub(crate) use linked::stubs;
#[cfg(portable)]
pub(crate) use portable::{read, set_function};
#[cfg(all(test, not(any(compact, windows))))]
pub(crate) use thread::shard_offset;

use core::marker::PhantomData;

/// Replaces `gdb.rs` on macOS, whose debugger does not read gdb's list by default.
#[cfg(all(growing, target_os = "macos"))]
mod gdb {
    pub(super) struct Image;

    /// Does nothing.
    ///
    /// # Safety
    /// Same as for the function in `gdb.rs` that this one replaces.
    pub(super) unsafe fn announce(_image: *mut Image, _start: usize, _len: usize) {}
}

/// Provides the dead procedure, so that the table does not depend on the code that diagnoses calls through freed
/// trampolines.
pub(crate) trait Dead: 'static {
    /// Returns the address of the dead procedure.
    fn procedure() -> *const ();
}

/// The list heads that all threads share.
#[cfg(not(compact))]
static HEADS: crate::pool::hosted::Heads = crate::pool::hosted::Heads::new();

/// The static table, with the program's dead procedure.
pub(crate) struct StaticTable<D>(PhantomData<D>);

impl<D> StaticTable<D> {
    pub(crate) const fn new() -> Self {
        StaticTable(PhantomData)
    }
}
