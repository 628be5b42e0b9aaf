//! The bounds of the running stack, which identify abandoned frames. Replaces `stack.rs` on systems other than Linux.
//!
//! On Windows, the thread environment block contains the bounds of the running stack, even if that is a fiber's stack.
//! No code returns to frames below the stack pointer: exception handlers run further down on the same stack, and
//! Windows has no asynchronous handlers such as signal handlers. If a program has switched to another stack without
//! notifying the system, that stack's bounds are unknown, and no frame is treated as abandoned.
//!
//! On macOS, the bounds of the thread's own stack are in the thread's descriptor and can be read without a lock. An
//! alternate signal stack may lie inside a frame of that stack, so addresses alone cannot tell the two stacks apart;
//! the system, however, reports whether the thread is on the alternate stack.
//!
//! On Android and FreeBSD, the functions that return these bounds may allocate memory, so the bounds are unknown, and
//! no frame is treated as abandoned.

use super::abandoned::Abandoned;
use core::ops::Range;

/// Returns the part of the running stack that is in use: from its lowest page to its high end.
#[cfg(windows)]
fn own() -> Range<usize> {
    let (low, high): (usize, usize);
    // SAFETY: this reads two words (`NT_TIB.StackLimit` and `StackBase`) of the thread environment block, which every
    // thread has.
    unsafe {
        core::arch::asm!(
            "mov {0}, gs:[0x10]",
            "mov {1}, gs:[0x08]",
            out(reg) low, out(reg) high, options(nostack, preserves_flags, readonly),
        );
    }
    low..high
}

/// Returns the bounds of the thread's own stack, including the unused part.
#[cfg(target_os = "macos")]
fn own() -> Range<usize> {
    // SAFETY: the running thread exists.
    unsafe {
        let this = libc::pthread_self();
        let high = libc::pthread_get_stackaddr_np(this).addr();
        high - libc::pthread_get_stacksize_np(this)..high
    }
}

/// Returns an empty range.
#[cfg(any(target_os = "android", target_os = "freebsd"))]
fn own() -> Range<usize> {
    0..0
}

#[cfg(not(target_os = "macos"))]
fn is_on_an_alternate_stack() -> bool {
    false // Windows has no alternate signal stacks, and on the other systems, no stack is known
}

#[cfg(target_os = "macos")]
fn is_on_an_alternate_stack() -> bool {
    // SAFETY: all-zero bytes are a valid `stack_t`, which the function fills in.
    unsafe {
        let mut alternate: libc::stack_t = core::mem::zeroed();
        libc::sigaltstack(core::ptr::null(), &raw mut alternate) != 0
            || alternate.ss_flags & libc::SS_ONSTACK != 0
    }
}

/// Returns the range of abandoned frames on the running stack (all frames below `here`).
pub(crate) fn abandoned_below(here: usize) -> Option<Abandoned> {
    Abandoned::new(own(), here).filter(|_| !is_on_an_alternate_stack())
}

/// Like [`abandoned_below`], but returns `None` if `stack_pointer` is not in one of the abandoned frames.
pub(crate) fn abandoned_with(stack_pointer: usize, here: usize) -> Option<Abandoned> {
    abandoned_below(here).filter(|abandoned| abandoned.contains(stack_pointer))
}

/// Returns the bounds of the running stack, if `here` is on it.
pub(crate) fn own_with(here: usize) -> Option<Range<usize>> {
    Some(own()).filter(|own| own.contains(&here))
}

/// Returns whether `here` and another stack pointer both point into the running stack.
pub(crate) fn are_own(here: usize, stack_pointer: usize) -> bool {
    let own = own();
    own.contains(&here) && own.contains(&stack_pointer)
}

/// Returns `None`: the bounds are queried each time, so another query could not change the result.
pub(crate) fn abandoned_below_if_learned_anew(_here: usize) -> Option<Abandoned> {
    None
}
