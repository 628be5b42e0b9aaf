//! A stub that contains its own two words:
//! ```text
//!   ld $15, 16($25)    // the chain; $25 is the stub's address
//!   ld $25, 24($25)    // the entry
//!   jr $25
//!   nop
//! ```

/// Size of the stub in bytes, and alignment of its address.
pub(crate) const SIZE: usize = 32;
pub(crate) const ALIGN: usize = 8;

const CODE: [u32; 4] = [0xdf2f_0010, 0xdf39_0018, 0x0320_0008, 0];

/// Writes the stub and makes it visible to instruction fetches, in the one or two cache lines that contain it (MIPS64
/// Instruction Set, `SYNCI`). The jump clears instructions that were fetched before.
/// # Safety
/// `at` must have that alignment and be writable and executable for `SIZE` bytes.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    // SAFETY: guaranteed by the caller; the instructions restore $31.
    unsafe {
        at.cast::<[u32; 4]>().write(CODE);
        at.cast::<usize>().add(2).write(chain.expose_provenance());
        at.cast::<usize>().add(3).write(entry.expose_provenance());
        core::arch::asm!(
            ".set push\n.set noreorder\n.set noat",
            "synci 0({0})",
            "synci 28({0})",
            "sync",
            "move {1}, $31",
            "bal 77f",
            "nop",
            "77: daddiu $31, $31, 12",
            "jr.hb $31",
            "nop",
            "move $31, {1}",
            ".set pop",
            in(reg) at, out(reg) _, options(nostack, preserves_flags),
        );
    }
}
