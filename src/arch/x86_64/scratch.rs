//! A stub that contains its own two words:
//! ```text
//!   endbr64
//!   movabs $entry, %r11
//!   movabs $chain, %r10
//!   jmp    *%r11
//! ```

/// Size of the stub in bytes. `ALIGN` is the alignment of its address.
pub(crate) const SIZE: usize = 27;
pub(crate) const ALIGN: usize = 2;

/// Writes the stub.
///
/// x86-64 keeps its instruction cache coherent with stores by the same processor. A jump between the write and the
/// execution of the code is sufficient (Intel SDM, volume 3, 9.1.3).
///
/// # Safety
/// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    let mut code = [0; SIZE];
    code[..6].copy_from_slice(&[0xf3, 0x0f, 0x1e, 0xfa, 0x49, 0xbb]);
    code[6..14].copy_from_slice(&entry.addr().to_le_bytes());
    code[14..16].copy_from_slice(&[0x49, 0xba]);
    code[16..24].copy_from_slice(&chain.addr().to_le_bytes());
    code[24..].copy_from_slice(&[0x41, 0xff, 0xe3]);
    // SAFETY: the caller upholds the safety contract.
    unsafe { at.cast::<[u8; SIZE]>().write_unaligned(code) };
}
