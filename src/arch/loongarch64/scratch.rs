//! A stub that carries its two words in itself:
//!
//! ```text
//!   pcaddu12i $t7, 0
//!   ld.d      $t8, $t7, 16    // the chain
//!   ld.d      $t7, $t7, 24    // the entry
//!   jr        $t7
//! ```

/// Bytes of the stub, and the alignment of its address.
pub(crate) const SIZE: usize = 32;
pub(crate) const ALIGN: usize = 8;

const CODE: [u32; 4] = [0x1c00_0013, 0x28c0_4274, 0x28c0_6273, 0x4c00_0260];

/// Writes the stub, and has the processor fetch it anew. Its caches agree by themselves (LoongArch Reference Manual, `IBAR`).
///
/// # Safety
/// `SIZE` bytes are there, at an address of that alignment, which may be written and executed.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    // SAFETY: the caller's promise; the barrier changes no memory.
    unsafe {
        at.cast::<[u32; 4]>().write(CODE);
        at.cast::<usize>().add(2).write(chain.expose_provenance());
        at.cast::<usize>().add(3).write(entry.expose_provenance());
        core::arch::asm!("ibar 0", options(nostack, preserves_flags));
    }
}
