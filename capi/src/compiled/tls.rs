//! What each thread has for itself, zero at first.
//!
//! Initial-exec: one load from the thread pointer, also in a library loaded later (a few
//! bytes of the room that the C library keeps for such libraries). The general model would
//! cost a call each time (ELF Handling for Thread-Local Storage, section 4.3.6).

use crate::arch;
use core::arch::global_asm;

/// A word of a thread's own.
#[cfg_attr(windows, allow(dead_code))] // the system keeps the bounds of the stack
#[derive(Clone, Copy)]
pub(crate) enum Word {
    /// The newest trampoline of GCC's code.
    Newest = 0,
    /// The low end of the thread's stack, or a state (`stack.rs`).
    StackLow = 8,
    /// The high end.
    StackHigh = 16,
    /// Where the thread is at work on its list or takes slots back; 0 while it is not.
    AtWork = 24,
}

macro_rules! symbol {
    () => {
        statictramp::__symbol!("thread")
    };
}

#[cfg(not(windows))]
global_asm!(
    ".pushsection .tbss, \"awT\", %nobits",
    ".balign 8",
    concat!(".hidden ", symbol!()),
    concat!(".globl ", symbol!()),
    concat!(".type ", symbol!(), ", %tls_object"),
    concat!(".size ", symbol!(), ", 32"),
    concat!(symbol!(), ":"),
    ".skip 32",
    ".popsection",
);

// On Windows a section `.tls$` is what each thread gets a copy of.
#[cfg(windows)]
global_asm!(
    ".pushsection .tls$,\"dw\"",
    ".balign 8",
    concat!(".globl ", symbol!()),
    concat!(symbol!(), ":"),
    ".skip 32",
    ".popsection",
);

pub(crate) use symbol;

impl Word {
    #[inline(always)]
    pub(crate) fn get(self) -> usize {
        arch::load_thread_word(self as usize)
    }

    #[inline(always)]
    pub(crate) fn set(self, value: usize) {
        arch::store_thread_word(self as usize, value)
    }
}
