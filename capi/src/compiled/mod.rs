//! Trampolines for code compiled by flang and GCC. Compiled code cannot handle a failure, so each failure prints a
//! message and aborts the program.
//!
//! Each trampoline belongs to a host (the enclosing procedure), and its chain is an address in the host's frame. The
//! slot's extra words record the stack pointer with which the trampoline was made and, for code compiled by flang, how
//! often the trampoline has been shared since (`maker.rs`).
//!
//! A host that is abandoned by `longjmp` does not free its trampolines. Two rules compensate for this:
//!
//! - If a host is called again after a `longjmp`, its frame may be at the same address as that of its abandoned
//!   predecessor. The host then requests a trampoline with the callee, chain and stack pointer of a live trampoline,
//!   and the two hosts share a slot. The slot counts its hosts, so it does not matter whether the other host was
//!   abandoned, or whether one host requests the trampoline twice. If their stack pointers are equal, both hosts are on
//!   the same stack. Only one thread at a time can use a stack, so the count needs no atomic exchange. Two hosts also
//!   share a slot if both stack pointers are on this thread's own stack, and differ only because `alloca` has enlarged
//!   the same frame by different amounts. An identical request by a host on another stack gets a separate slot.
//! - If no slot is free, slots of abandoned frames are reclaimed (`reclaim.rs`). A chain that points below the active
//!   frames on this thread's own stack belongs to an abandoned frame.
//!
//! A signal handler that runs between the read and the write of a count either frees its own trampolines before it
//! returns, or never returns, so the interrupted code sees the count unchanged.

mod abandoned;
mod at_work;
#[cfg(target_os = "linux")]
mod block;
mod flang;
mod gcc;
mod maker;
mod reclaim;
#[cfg_attr(not(target_os = "linux"), path = "stack_reported.rs")]
mod stack;
mod thread_list;
#[cfg_attr(any(target_os = "macos", target_os = "android"), path = "keys.rs")]
pub(crate) mod tls;

use statictramp::for_capi::message::{Message, abort};

/// The largest `STATICTRAMP_SLOTS`.
const MOST_SLOTS: usize = 1 << 20;

/// Reports that no trampolines are left, suggests a remedy if there is one, and aborts the program.
#[cold]
fn abort_table_full() -> ! {
    let slots = statictramp::capacity();
    let mut message = Message::new("all ");
    message
        .decimal(slots)
        .text(" trampolines are in use, and the table cannot grow: ")
        .text(statictramp::for_capi::why_full());
    if slots < MOST_SLOTS {
        message.text("; build the library with a larger STATICTRAMP_SLOTS");
    }
    message.print();
    abort()
}
