//! Replaces `in_thread.rs` on targets without thread-local words, such as boards: a signature that needs them is a
//! compile-time error. A program without an operating system may switch between stacks at any time, and no memory
//! belongs to only one stack.

/// Whether thread-local words are available for passing a closure's address.
pub(crate) const HAS_THREAD_WORDS: bool = false;

/// Never used.
macro_rules! in_thread {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!("/* {enter} */", enter = sym $enter)
    };
}
pub(crate) use in_thread;

pub(crate) fn take<H>() -> *const H {
    unreachable!()
}
