//! A stub that carries its two words in itself, in A32 code:
//!
//! ```text
//!   ldr r12, at + 8       @ the chain
//!   ldr pc, at + 12       @ the entry, whose lowest bit says whether it is Thumb code
//! ```

/// Bytes of the stub, and the alignment of its address.
pub(crate) const SIZE: usize = 16;
pub(crate) const ALIGN: usize = 4;

const CODE: [u32; 2] = [0xe59f_c000, 0xe59f_f000];

/// `__ARM_NR_cacheflush` of Linux, which programs may not do by themselves.
const FLUSH: usize = 0x0f_0002;

/// Writes the stub, and has every processor fetch it anew.
///
/// # Safety
/// `SIZE` bytes are there, at an address of that alignment, which may be written and executed.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    // SAFETY: the caller's promise; the call changes no memory.
    unsafe {
        at.cast::<[u32; 2]>().write(CODE);
        at.cast::<usize>().add(2).write(chain.expose_provenance());
        at.cast::<usize>().add(3).write(entry.expose_provenance());
        let (start, end) = (at.expose_provenance(), at.addr() + SIZE);
        super::system_call(FLUSH, [start, end, 0, 0, 0, 0]);
    }
}
