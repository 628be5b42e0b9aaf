//! Another copy of this library in the same process: an archive in the program and another
//! inside of a shared library, say. Each has a table of its own.

use crate::arch;
use crate::line::Line;
use crate::maps::Mapping;

/// Says so in one line, if `address` is that of a trampoline of another copy. True if it is.
///
/// The memory is looked at only where the kernel says that it is code which can be read.
///
/// # Safety
/// If there is code at the address, nobody takes it away or writes it meanwhile.
pub unsafe fn report(address: *const ()) -> bool {
    let address = address.addr();
    let Some(mapping) = Mapping::of(address).filter(|mapping| mapping.readable && mapping.executable) else {
        return false;
    };
    let len = arch::STUB_CODE.min(mapping.end - address);
    // SAFETY: this many bytes lie in a mapping that may be read, and the caller says that it stays.
    let code = unsafe { core::slice::from_raw_parts(core::ptr::with_exposed_provenance(address), len) };
    if !arch::is_stub(code) {
        return false;
    }
    let mut line = Line::new("");
    line.address(core::ptr::without_provenance(address))
        .text(" is a trampoline of another copy of this library");
    if !mapping.path().is_empty() {
        line.text(", in ").foreign(mapping.path().to_bytes());
    }
    line.text(": two copies are loaded, and each knows only its own trampolines").print();
    true
}
