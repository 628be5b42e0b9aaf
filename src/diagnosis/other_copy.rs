//! Another copy of this library in the same process: an archive in the program and another
//! inside of a shared library, say. Each has a table of its own.

use super::message::Message;
use crate::arch;
use crate::os::maps::Mapping;
use crate::os::system;

/// If `address` is that of a trampoline of another copy, prints a line that tells this, and returns true. Safe for any
/// address whatever.
///
/// The memory is looked at only where the kernel says that it is code which can be read.
pub fn report(address: *const ()) -> bool {
    let address = address.addr();
    let Some(mapping) = Mapping::of(address).filter(|mapping| mapping.readable && mapping.executable) else {
        return false;
    };
    let mut code = [0; arch::STUB_CODE];
    let len = copy(address, &mut code, mapping.end - address);
    if code.get(..len).and_then(|code| arch::decode_stub(code, address)).is_none() {
        return false;
    }
    let mut message = Message::new("");
    message
        .address(core::ptr::without_provenance(address))
        .text(" is a trampoline of another copy of this library");
    if !mapping.path().is_empty() {
        message.text(", in ").foreign(mapping.path().to_bytes());
    }
    message.text(": two copies are loaded, and each knows only its own trampolines").print();
    true
}

/// Copies what is at an address, up to `most` bytes: how many there are. The kernel reads it, to a pipe, since a file that
/// is mapped may have become shorter, and reading beyond its end would end the program.
fn copy(address: usize, bytes: &mut [u8], most: usize) -> usize {
    let mut ends = [-1; 2];
    // SAFETY: room for two descriptors.
    if unsafe { system::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) } != 0 {
        return 0;
    }
    let [from, to] = ends;
    // SAFETY: `write` fails with an error if its memory is not there; what is read fits. The descriptors are this
    // function's.
    let got = unsafe {
        system::write(to, core::ptr::with_exposed_provenance(address), bytes.len().min(most));
        let got = system::read(from, bytes.as_mut_ptr().cast(), bytes.len());
        system::close(from);
        system::close(to);
        got
    };
    usize::try_from(got).unwrap_or(0)
}
