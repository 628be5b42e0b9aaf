//! The replacement for `in_thread.rs` on boards and on macOS, where thread-local words do not pass closures' addresses.
//! There, a signature that needs these words is a compile-time error. A program without an operating system may switch
//! between stacks at any time, and has no memory that belongs to only one stack.

/// Whether closures' addresses can be passed in thread-local words.
pub(crate) const HAS_THREAD_WORDS: bool = false;

/// Expands to a body that is never entered.
macro_rules! in_thread {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!("/* {enter} */", enter = sym $enter)
    };
}
pub(crate) use in_thread;

pub(crate) fn take<H>() -> *const H {
    unreachable!()
}
