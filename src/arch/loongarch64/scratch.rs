//! A stub that contains its own two words:
//! ```text
//!   pcaddu12i $t7, 0
//!   ld.d      $t8, $t7, 16    // the chain
//!   ld.d      $t7, $t7, 24    // the entry
//!   jr        $t7
//! ```

/// Size of the stub in bytes. `ALIGN` is the alignment of its address.
pub(crate) const SIZE: usize = 32;
pub(crate) const ALIGN: usize = 8;

const CODE: [u32; 4] = [0x1c00_0013, 0x28c0_4274, 0x28c0_6273, 0x4c00_0260];

/// Writes the stub and makes it visible to instruction fetches. The hardware keeps the caches coherent (LoongArch
/// Reference Manual, `IBAR`).
/// # Safety
/// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    // SAFETY: the caller upholds the safety contract. The barrier changes no memory.
    unsafe {
        at.cast::<[u32; 4]>().write(CODE);
        at.cast::<usize>().add(2).write(chain.expose_provenance());
        at.cast::<usize>().add(3).write(entry.expose_provenance());
        core::arch::asm!("ibar 0", options(nostack, preserves_flags));
    }
}
