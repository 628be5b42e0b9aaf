//! The replacement for `in_thread.rs` on targets without thread-local words, such as boards. There, a signature that
//! needs these words is a compile-time error. A program without an operating system may switch between stacks at any
//! time, and has no memory that belongs to only one stack.

/// Whether thread-local words are available for passing a closure's address.
pub(crate) const HAS_THREAD_WORDS: bool = false;

/// This macro is never used.
macro_rules! in_thread {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!("/* {enter} */", enter = sym $enter)
    };
}
pub(crate) use in_thread;

pub(crate) fn take<H>() -> *const H {
    unreachable!()
}
