//! Thread-local words, initially zero.
//!
//! In the initial-exec model, an access is one load relative to the thread pointer, even in a library loaded after
//! startup. In such a library, the words use a few bytes of the thread-local space that libc reserves for this purpose.
//! The general-dynamic model would need a call for each access (ELF Handling for Thread-Local Storage, section 4.3.6).

use crate::arch;
use core::arch::global_asm;

/// A thread-local word.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))] // only `stack.rs` records the bounds of the stack
#[derive(Clone, Copy)]
pub(crate) enum Word {
    /// The newest trampoline that GCC-compiled code has made on this thread.
    Newest = 0,
    /// The low end of this thread's stack, or one of the states in `stack.rs`.
    StackLow = 8,
    /// The high end of this thread's stack.
    StackHigh = 16,
    /// A stack address within the call that is changing this thread's list or reclaiming slots, or 0 if none is.
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

// On Windows, each thread gets a copy of the `.tls$` section.
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
