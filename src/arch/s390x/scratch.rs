//! A stub that contains its own two words:
//! ```text
//!   basr %r1, 0
//!   lmg  %r0, %r1, 14(%r1)    // the chain, at + 16; the entry, at + 24
//!   br   %r1
//! ```

/// Size of the stub in bytes. `ALIGN` is the alignment of its address.
pub(crate) const SIZE: usize = 32;
pub(crate) const ALIGN: usize = 2;

const CODE: [u8; 16] = *b"\x0d\x10\xeb\x01\x10\x0e\x00\x04\x07\xf1\0\0\0\0\0\0";

/// Writes the stub. A processor always sees its own earlier stores to code (z/Architecture Principles of Operation,
/// section "Conceptual Sequence"). Another processor sees these stores after any serializing operation, such as an
/// atomic exchange.
/// # Safety
/// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    // SAFETY: the caller upholds the safety contract.
    unsafe {
        at.cast::<[u8; 16]>().write(CODE);
        at.cast::<usize>().add(2).write_unaligned(chain.expose_provenance());
        at.cast::<usize>().add(3).write_unaligned(entry.expose_provenance());
    }
}
