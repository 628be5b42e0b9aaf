//! In place of `in_thread.rs` where there is none, as on boards: a signature that would go that way is refused when the
//! program is compiled. A program without an operating system may switch between stacks at any time, and no word of
//! memory is one stack's own.

/// Whether there is such a way.
pub(crate) const HAS_THREAD_WORDS: bool = false;

/// Nobody jumps here.
macro_rules! in_thread {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!("/* {enter} */", enter = sym $enter)
    };
}
pub(crate) use in_thread;

pub(crate) fn take<H>() -> *const H {
    unreachable!()
}
