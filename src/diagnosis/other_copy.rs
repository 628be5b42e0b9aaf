//! Detection of another copy of this library, with its own table, in the same process: the static library may, for
//! example, be linked into both the program and a shared library.

use crate::arch;
use crate::message::Message;
#[cfg(not(windows))]
use crate::os::{maps::Mapping, readable::Reader};

/// If `address` is a trampoline of another copy, prints one line to standard error and returns true. Any address may
/// be passed.
///
/// The memory at the address is read only if the kernel lists it as readable code.
#[cfg(not(windows))]
pub fn report(address: *const ()) -> bool {
    let address = address.addr();
    let Some(mapping) = Mapping::of(address).filter(|mapping| mapping.readable && mapping.executable) else {
        return false;
    };
    let mut code = [0; arch::ENCODING.most()];
    let most = code.len().min(mapping.end - address);
    let len = code.get_mut(..most).map_or(0, |code| Reader::new().read(address, code));
    if code.get(..len).and_then(|code| arch::decode_stub(code, address)).is_none() {
        return false;
    }
    print(address, mapping.path().to_bytes());
    true
}

/// If `address` is a trampoline of another copy, prints one line to standard error and returns true. Any address may
/// be passed, because the system reads the memory and reports any failure.
#[cfg(windows)]
pub fn report(address: *const ()) -> bool {
    let _last_error = crate::os::LastError::kept();
    let address = address.addr();
    let mut code = [0; arch::ENCODING.most()];
    // Only code is read, because reading a stack's guard page would remove the guard.
    if !crate::os::is_code(address, code.len())
        || !read(address, &mut code)
        || arch::decode_stub(&code, address).is_none()
    {
        return false;
    }
    print(address, b"");
    true
}

/// Copies the bytes at an address. Returns false if they are unreadable.
#[cfg(windows)]
fn read(address: usize, code: &mut [u8]) -> bool {
    use core::ffi::c_void;
    use core::ptr::{null_mut, with_exposed_provenance, without_provenance_mut};

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
    let from = with_exposed_provenance(address);
    // SAFETY: the buffer has room for `code.len()` bytes. If the memory is unreadable, the call fails.
    unsafe {
        let process = without_provenance_mut(CURRENT_PROCESS);
        ReadProcessMemory(process, from, code.as_mut_ptr().cast(), code.len(), null_mut()) != 0
    }
}

fn print(address: usize, path: &[u8]) {
    let mut message = Message::new("");
    message
        .address(core::ptr::without_provenance(address))
        .text(" is a trampoline of another copy of this library");
    if !path.is_empty() {
        message.text(", in ").foreign(path);
    }
    message.text(": two copies are loaded, and each knows only its own trampolines").print();
}
