//! Detection of another copy of this library in the same process on Windows, as in `other_copy.rs`.

use crate::arch;
use crate::message::Message;
use crate::os::LastError;
use core::ffi::c_void;
use core::ptr::{null_mut, with_exposed_provenance};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn ReadProcessMemory(
        process: *mut c_void,
        from: *const c_void,
        to: *mut c_void,
        len: usize,
        got: *mut usize,
    ) -> i32;
}

/// The pseudo handle of the running process.
const CURRENT_PROCESS: usize = usize::MAX;

/// Checks whether `address` is a trampoline of another copy. If it is, prints one line on standard error and returns
/// true. Any address may be passed, because the system reads the memory and reports any failure.
pub fn report(address: *const ()) -> bool {
    let _last_error = LastError::kept();
    let address = address.addr();
    let mut code = [0; arch::STUB_CODE];
    if !crate::os::is_code(address, code.len()) {
        return false; // only code is read, because reading a stack's guard page would remove the guard
    }
    // SAFETY: the buffer has room for `code.len()` bytes. If the memory is unreadable, the call fails.
    let is_read = unsafe {
        let process = core::ptr::without_provenance_mut(CURRENT_PROCESS);
        let from = with_exposed_provenance(address);
        ReadProcessMemory(process, from, code.as_mut_ptr().cast(), code.len(), null_mut()) != 0
    };
    if !is_read || arch::decode_stub(&code, address).is_none() {
        return false;
    }
    Message::new("")
        .address(core::ptr::without_provenance(address))
        .text(" is a trampoline of another copy of this library: two copies are loaded, and each knows only its own trampolines")
        .print();
    true
}
