//! A stub that contains its own two 64-bit words:
//! ```text
//!   auipc t1, 0
//!   ld    t2, 16(t1)      // the chain
//!   ld    t1, 24(t1)      // the entry
//!   jr    t1
//! ```

/// Size of the stub in bytes. `ALIGN` is the alignment of its address.
pub(crate) const SIZE: usize = 32;
pub(crate) const ALIGN: usize = 8;

const CODE: [u32; 4] = [0x0000_0317, 0x0103_3383, 0x0183_3303, 0x0003_0067];

/// The number of the Linux system call `riscv_flush_icache`. The call applies to every hart that runs this process,
/// whereas `fence.i` applies only to the hart that executes it.
const FLUSH: usize = 259;

/// Writes the stub and makes it visible to instruction fetches of every hart.
/// # Safety
/// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    // SAFETY: the caller upholds the safety contract. The system call changes no memory.
    unsafe {
        at.cast::<[u32; 4]>().write(CODE);
        at.cast::<usize>().add(2).write(chain.expose_provenance());
        at.cast::<usize>().add(3).write(entry.expose_provenance());
        let (start, end) = (at.expose_provenance(), at.addr() + SIZE);
        super::system_call(FLUSH, [start, end, 0, 0, 0, 0]);
    }
}
