//! A stub that contains its own two words, in A32 code:
//! ```text
//!   ldr r12, at + 8       @ the chain
//!   ldr pc, at + 12       @ the entry, whose lowest bit says whether it is Thumb code
//! ```

/// Size of the stub in bytes. `ALIGN` is the alignment of its address.
pub(crate) const SIZE: usize = 16;
pub(crate) const ALIGN: usize = 4;

const CODE: [u32; 2] = [0xe59f_c000, 0xe59f_f000];

/// The number of the Linux system call `__ARM_NR_cacheflush`. User programs cannot flush caches themselves.
const FLUSH: usize = 0x0f_0002;

/// Writes the stub and makes it visible to instruction fetches of every processor.
/// # Safety
/// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    // SAFETY: the caller upholds the safety contract. The system call changes no memory.
    unsafe {
        at.cast::<[u32; 2]>().write(CODE);
        at.cast::<usize>().add(2).write(chain.expose_provenance());
        at.cast::<usize>().add(3).write(entry.expose_provenance());
        let (start, end) = (at.expose_provenance(), at.addr() + SIZE);
        super::system_call(FLUSH, [start, end, 0, 0, 0, 0]);
    }
}
