//! A stub that contains its own two words:
//! ```text
//!   endbr32
//!   movl $chain, %ecx
//!   jmp  entry
//! ```

/// Size of the stub in bytes. `ALIGN` is the alignment of its address.
pub(crate) const SIZE: usize = 14;
pub(crate) const ALIGN: usize = 2;

/// Writes the stub. x86 keeps its instruction cache coherent with stores by the same processor. A jump between the
/// write and the execution of the code is sufficient (Intel SDM, volume 3, 9.1.3).
/// # Safety
/// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    let distance = entry.addr().wrapping_sub(at.addr() + SIZE); // 32 bits reach all addresses, because the sum wraps around
    let mut code = [0; SIZE];
    code[..5].copy_from_slice(&[0xf3, 0x0f, 0x1e, 0xfb, 0xb9]);
    code[5..9].copy_from_slice(&chain.addr().to_le_bytes());
    code[9] = 0xe9;
    code[10..].copy_from_slice(&distance.to_le_bytes());
    // SAFETY: the caller upholds the safety contract.
    unsafe { at.cast::<[u8; SIZE]>().write_unaligned(code) };
}
