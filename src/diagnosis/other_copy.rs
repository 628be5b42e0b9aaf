//! Detection of another copy of this library in the same process. For example, the static library may be linked into
//! both the program and a shared library. Each copy has its own table.

use crate::arch;
use crate::message::Message;
use crate::os::maps::Mapping;
use crate::os::readable::Reader;

/// Checks whether `address` is a trampoline of another copy. If it is, prints one line on standard error and returns
/// true. Any address may be passed.
///
/// The memory at the address is read only if the kernel lists it as readable code.
pub fn report(address: *const ()) -> bool {
    let address = address.addr();
    let Some(mapping) = Mapping::of(address).filter(|mapping| mapping.readable && mapping.executable) else {
        return false;
    };
    let mut code = [0; arch::STUB_CODE];
    let most = code.len().min(mapping.end - address);
    let len = code.get_mut(..most).map_or(0, |code| read(address, code));
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

/// Copies the readable bytes at an address, and returns how many were copied.
fn read(address: usize, code: &mut [u8]) -> usize {
    Reader::new().read(address, code)
}
