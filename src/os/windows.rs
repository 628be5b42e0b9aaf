//! The interface to Windows: functions of kernel32 and, in `image.rs`, of ntdll.

use core::ffi::c_void;
#[cfg(growing)]
use core::ffi::{CStr, c_char};
use core::ptr::null_mut;

type Handle = *mut c_void;

#[cfg(growing)]
mod image;
#[cfg_attr(not(growing), expect(dead_code, reason = "without growth, only code is queried"))]
pub mod memory;

#[cfg(growing)]
pub(crate) use image::*;
#[cfg(not(portable))]
pub(crate) use memory::is_code;
#[cfg(growing)]
pub(crate) use memory::{Memory, free, is_data, read};

/// The value that `GetCurrentProcess` returns.
#[cfg(growing)]
const THIS_PROCESS: Handle = core::ptr::without_provenance_mut(usize::MAX);

const STD_ERROR_HANDLE: u32 = -12i32 as u32;

#[link(name = "kernel32")]
unsafe extern "system" {
    safe fn GetLastError() -> u32;
    safe fn SetLastError(error: u32);
    safe fn GetStdHandle(which: u32) -> Handle;
    #[cfg(growing)]
    fn GetEnvironmentVariableA(name: *const c_char, value: *mut u8, len: u32) -> u32;
    fn WriteFile(
        file: Handle,
        bytes: *const c_void,
        len: u32,
        written: *mut u32,
        overlapped: *mut c_void,
    ) -> i32;
}

/// The thread's last error, saved when this value is made and restored when it is dropped.
pub(crate) struct LastError(u32);

impl LastError {
    pub(crate) fn kept() -> Self {
        LastError(GetLastError())
    }
}

impl Drop for LastError {
    fn drop(&mut self) {
        SetLastError(self.0);
    }
}

/// Writes to standard error, unless the process has none or has closed it.
pub(crate) fn write_error(bytes: &[u8]) {
    let _last_error = LastError::kept();
    let file = GetStdHandle(STD_ERROR_HANDLE);
    if file.is_null() || file.addr() == usize::MAX {
        return; // with strict handle checks, writing to an invalid handle would terminate the process
    }
    let mut written = 0;
    // SAFETY: the bytes are readable, and `written` has room for a number. (The length of a message fits into 32 bits.)
    unsafe { WriteFile(file, bytes.as_ptr().cast(), bytes.len() as u32, &raw mut written, null_mut()) };
}

/// Returns the text of an environment variable, or `too long` if the text does not fit into the buffer. Returns
/// `None` if the variable is unset or empty.
#[cfg(growing)]
pub(crate) fn environment<'a>(name: &CStr, text: &'a mut [u8]) -> Option<&'a [u8]> {
    let _last_error = LastError::kept();
    // SAFETY: the name is zero-terminated, and the call receives the buffer's length.
    let len =
        unsafe { GetEnvironmentVariableA(name.as_ptr(), text.as_mut_ptr(), text.len() as u32) } as usize;
    match len {
        0 => None,
        _ if len >= text.len() => Some(b"too long"),
        _ => text.get(..len),
    }
}
