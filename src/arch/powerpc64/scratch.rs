//! A stub that contains its own two 64-bit words, like the trampolines that GCC writes. r12 contains the stub's
//! address:
//! ```text
//!   ld    11, 24(12)      // the chain
//!   ld    12, 16(12)      // the entry
//!   mtctr 12
//!   bctr
//! ```

/// Size of the stub in bytes. `ALIGN` is the alignment of its address.
pub(crate) const SIZE: usize = 32;
pub(crate) const ALIGN: usize = 8;

const CODE: [u32; 4] = [0xe96c_0018, 0xe98c_0010, 0x7d89_03a6, 0x4e80_0420];

/// Writes the stub and makes it visible to instruction fetches of every processor (Power ISA, book II, section 1.8).
/// Cache blocks are at least 32 bytes long. Each block that the stub touches therefore contains the stub's first or
/// last byte.
/// # Safety
/// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    // SAFETY: the caller guarantees that `at` is valid. The cache instructions do not modify memory.
    unsafe {
        at.cast::<[u32; 4]>().write(CODE);
        at.cast::<usize>().add(2).write(entry.expose_provenance());
        at.cast::<usize>().add(3).write(chain.expose_provenance());
        core::arch::asm!(
            "dcbst 0, {first}",
            "dcbst 0, {last}",
            "sync",
            "icbi 0, {first}",
            "icbi 0, {last}",
            "sync",
            "isync",
            first = in(reg) at, last = in(reg) at.wrapping_byte_add(SIZE - 1),
            options(nostack, preserves_flags),
        );
    }
}
