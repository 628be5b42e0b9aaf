//! A stub that contains its own two words:
//! ```text
//!   ldr x17, at + 24      // the entry
//!   ldr x15, at + 16      // the chain
//!   mov x18, x15
//!   br  x17
//! ```
//! The stub has no landing pad, because BTI applies only to memory that is mapped with PROT_BTI, and this stub's memory
//! is not.

/// Size of the stub in bytes. `ALIGN` is the alignment of its address.
pub(crate) const SIZE: usize = 32;
pub(crate) const ALIGN: usize = 4;

const CODE: [u32; 4] = [0x5800_00d1, 0x5800_006f, 0xaa0f_03f2, 0xd61f_0220];

/// Writes the stub and makes it visible to instruction fetches of every processor.
/// # Safety
/// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
    // SAFETY: the caller upholds the safety contract.
    unsafe {
        at.cast::<[u32; 4]>().write_unaligned(CODE);
        at.cast::<usize>().add(2).write_unaligned(chain.expose_provenance());
        at.cast::<usize>().add(3).write_unaligned(entry.expose_provenance());
    }
    make_visible(at.addr(), SIZE);
}

/// Cleans the data cache and invalidates the instruction cache for these addresses, line by line (Arm Architecture
/// Reference Manual for A-profile, B2.4.4). The line sizes are in CTR_EL0. Linux permits these instructions in user
/// mode.
fn make_visible(start: usize, bytes: usize) {
    let lines: usize;
    // SAFETY: the instruction reads a register that Linux makes readable in user mode.
    unsafe {
        core::arch::asm!("mrs {}, ctr_el0", out(reg) lines, options(pure, nomem, nostack, preserves_flags));
    }
    let (data, code) = (4usize << (lines >> 16 & 15), 4usize << (lines & 15));
    // SAFETY: each cache line overlaps the `bytes` bytes at `start`, which the caller of `write` guarantees to be
    // accessible. The instructions do not modify memory.
    unsafe {
        for line in (start & !(data - 1)..start + bytes).step_by(data) {
            core::arch::asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags));
        }
        core::arch::asm!("dsb ish", options(nostack, preserves_flags));
        for line in (start & !(code - 1)..start + bytes).step_by(code) {
            core::arch::asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags));
        }
        core::arch::asm!("dsb ish", "isb", options(nostack, preserves_flags));
    }
}
