//! Differences on macOS: the assembler's syntax for addresses, and the thread pointer.

// The thread pointer, which `_os_tsd_get_base` in libSystem reads in the same way. On older systems, the lowest bits of
// the register contain the processor number.
crate::arch::thread_pointer!("mrs {}, tpidrro_el0", mask !7);

/// The instructions that compute the PC-relative address of a symbol or label into operand 0.
macro_rules! address {
    ($symbol:expr) => {
        concat!("adrp {0}, ", $symbol, "@PAGE\nadd {0}, {0}, ", $symbol, "@PAGEOFF")
    };
}
pub(crate) use address;
