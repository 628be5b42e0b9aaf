//! As `other_copy.rs`, on Windows: another copy of this library in the same process.

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

/// What stands for the running process.
const CURRENT_PROCESS: usize = usize::MAX;

/// If `address` is that of a trampoline of another copy, prints a line that tells this, and returns true. Safe for any
/// address whatever: the system reads what is there, or says that there is nothing.
pub fn report(address: *const ()) -> bool {
    let _last_error = LastError::kept();
    let address = address.addr();
    let mut code = [0; arch::STUB_CODE];
    if !crate::os::is_code(address, code.len()) {
        return false; // what is no code is not touched, nor the page that guards a stack
    }
    // SAFETY: so many bytes have room; the call fails where nothing can be read.
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
