//! What differs on macOS: how the assembler writes an address, and where the thread pointer is.

/// The address of the thread's own words, which the C library's `_os_tsd_get_base` reads likewise; in its lowest bits
/// older systems have the number of the processor.
#[inline(always)]
pub(crate) fn thread_pointer() -> usize {
    let thread_pointer: usize;
    // SAFETY: reads a register that a program may read at any time. What is left of it never changes within
    // a thread, so it need not count as memory. Not `pure`: a fiber may go on on another thread after
    // any call, where an earlier result must not be used again.
    unsafe {
        core::arch::asm!("mrs {}, tpidrro_el0", out(reg) thread_pointer, options(nomem, nostack, preserves_flags));
    }
    thread_pointer & !7
}

/// The instructions that compute the address of a symbol or label, relative to the program counter, for the operand 0.
macro_rules! address {
    ($symbol:expr) => {
        concat!("adrp {0}, ", $symbol, "@PAGE\nadd {0}, {0}, ", $symbol, "@PAGEOFF")
    };
}
pub(crate) use address;
