//! A stub that contains its own two words as immediates:
//! ```text
//!   lis   12, entry@h
//!   ori   12, 12, entry@l
//!   mtctr 12
//!   lis   11, chain@h
//!   ori   11, 11, chain@l
//!   bctr
//! ```

/// Size of the stub in bytes. `ALIGN` is the alignment of its address.
pub(crate) const SIZE: usize = 24;
pub(crate) const ALIGN: usize = 4;

/// Writes the stub and makes it visible to instruction fetches of every processor (Power ISA, book II, section 1.8).
/// Cache blocks are at least 16 bytes long. Each block that the stub touches therefore contains the stub's first byte,
/// the byte at offset 16, or the last byte.
/// # Safety
/// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    let (entry, chain) = (entry.expose_provenance() as u32, chain.expose_provenance() as u32);
    let code = [
        0x3d80_0000 | entry >> 16,
        0x618c_0000 | entry & 0xffff,
        0x7d89_03a6,
        0x3d60_0000 | chain >> 16,
        0x616b_0000 | chain & 0xffff,
        0x4e80_0420,
    ];
    // SAFETY: the caller upholds the safety contract. The cache instructions do not modify memory.
    unsafe {
        at.cast::<[u32; 6]>().write(code);
        core::arch::asm!(
            "dcbst 0, {first}",
            "dcbst 0, {middle}",
            "dcbst 0, {last}",
            "sync",
            "icbi 0, {first}",
            "icbi 0, {middle}",
            "icbi 0, {last}",
            "sync",
            "isync",
            first = in(reg) at, middle = in(reg) at.wrapping_byte_add(16), last = in(reg) at.wrapping_byte_add(SIZE - 1),
            options(nostack, preserves_flags),
        );
    }
}
