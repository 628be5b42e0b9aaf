//! What differs on macOS: how the assembler writes an address, and where the thread pointer is.

// The address of the thread's own words, which the C library's `_os_tsd_get_base` reads likewise; in its lowest bits
// older systems have the number of the processor.
crate::arch::thread_pointer!("mrs {}, tpidrro_el0", mask !7);

/// The instructions that compute the address of a symbol or label, relative to the program counter, for the operand 0.
macro_rules! address {
    ($symbol:expr) => {
        concat!("adrp {0}, ", $symbol, "@PAGE\nadd {0}, {0}, ", $symbol, "@PAGEOFF")
    };
}
pub(crate) use address;
