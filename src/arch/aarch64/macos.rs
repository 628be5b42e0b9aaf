//! Differences on macOS: the assembler's syntax for addresses, and the thread pointer.

/// The address of the thread-local words, which the C library's `_os_tsd_get_base` reads in the same way; on older
/// systems its lowest bits contain the processor number.
#[inline(always)]
pub(crate) fn thread_pointer() -> usize {
    let thread_pointer: usize;
    // SAFETY: reads a register that a program may read at any time. The masked value never changes within a thread, so
    // `nomem` is correct. Not `pure`: a fiber may continue on another thread after any call, where an earlier result
    // must not be reused.
    unsafe {
        core::arch::asm!("mrs {}, tpidrro_el0", out(reg) thread_pointer, options(nomem, nostack, preserves_flags));
    }
    thread_pointer & !7
}

/// Instructions that compute the PC-relative address of a symbol or label into operand 0.
macro_rules! address {
    ($symbol:expr) => {
        concat!("adrp {0}, ", $symbol, "@PAGE\nadd {0}, {0}, ", $symbol, "@PAGEOFF")
    };
}
pub(crate) use address;
