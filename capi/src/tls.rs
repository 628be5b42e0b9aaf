//! What each thread has for itself, zero at first.
//!
//! Initial-exec: one load from the thread pointer, also in a library loaded later (a few
//! bytes of the room that the C library keeps for such libraries). The general model would
//! cost a call each time (ELF Handling for Thread-Local Storage, section 4.3.6).

use core::arch::{asm, global_asm};

/// A word of a thread's own.
#[derive(Clone, Copy)]
pub(crate) enum Word {
    /// The newest trampoline of GCC's code.
    Newest = 0,
    /// The low end of the thread's stack, or a state (`stack.rs`).
    StackLow = 8,
    /// The high end.
    StackHigh = 16,
}

macro_rules! symbol {
    () => {
        statictramp::__symbol!("thread")
    };
}

global_asm!(
    ".pushsection .tbss, \"awT\", @nobits",
    ".balign 8",
    concat!(".hidden ", symbol!()),
    concat!(".globl ", symbol!()),
    concat!(".type ", symbol!(), ", @tls_object"),
    concat!(".size ", symbol!(), ", 24"),
    concat!(symbol!(), ":"),
    ".skip 24",
    ".popsection",
);

impl Word {
    #[inline(always)]
    pub(crate) fn get(self) -> usize {
        let value;
        // SAFETY: reads one of the words above, which each thread has.
        unsafe {
            asm!(
                concat!("mov {0}, [rip + ", symbol!(), "@GOTTPOFF]"),
                "mov {0}, fs:[{0} + {1}]",
                out(reg) value, in(reg) self as usize, options(readonly, nostack, preserves_flags),
            );
        }
        value
    }

    #[inline(always)]
    pub(crate) fn set(self, value: usize) {
        // SAFETY: writes one of the words above, which only this library uses.
        unsafe {
            asm!(
                concat!("mov {0}, [rip + ", symbol!(), "@GOTTPOFF]"),
                "mov fs:[{0} + {2}], {1}",
                out(reg) _, in(reg) value, in(reg) self as usize, options(nostack, preserves_flags),
            );
        }
    }
}
