//! Trampolines for code that a compiler made, which cannot handle a failure: each failure ends the
//! program with one line.
//!
//! Such a trampoline belongs to a host procedure, whose frame is the chain. Extra words of its slot
//! say where the stack pointer was when it was made (`place.rs`), and, for flang's code, how often
//! it was shared since.
//!
//! A host that is left by `longjmp` does not free. Two rules put that right:
//!
//! - A host that is called again after a `longjmp` may find its dead predecessor's frame at
//!   its very address, and so ask, at the same place, for just the content that a live slot
//!   has. It is given that slot too, and counted: then it does not matter whether the other
//!   is dead, or is this host itself, which asks twice. Both have had the stack pointer at one
//!   place, so they are on one stack, whose code runs on one thread at a time: the count needs
//!   no exchange. The same holds for two places on this thread's own stack that differ because
//!   a frame has grown by another amount (`alloca`). A host on another stack that asks for
//!   equal content is given a slot of its own.
//! - When no slot is free: a chain on this thread's own stack, below the frames that are
//!   there now, is that of a host that is gone, and its slot is taken back (`reclaim.rs`).
//!
//! A signal handler that comes between reading and writing a count frees what it makes before
//! it returns, or never returns; so the count is what it was.

pub(crate) mod at_work;
#[cfg(target_os = "linux")]
mod block;
mod flang;
mod gcc;
pub(crate) mod left;
pub(crate) mod place;
mod shared;
#[cfg_attr(any(target_os = "macos", windows), path = "stack_told.rs")]
pub(crate) mod stack;
pub(crate) mod thread_list;
#[cfg_attr(target_os = "macos", path = "keys.rs")]
pub(crate) mod tls;

use statictramp::runtime::message::{Message, abort};

/// Prints that there are no trampolines left, and what can be done, and ends the program.
#[cold]
fn full() -> ! {
    let mut message = Message::new("all ");
    message.decimal(statictramp::capacity()).text(" trampolines are in use, and the table cannot grow: ");
    message
        .text(statictramp::runtime::why_full())
        .text("; build the library with a larger STATICTRAMP_SLOTS")
        .print();
    abort()
}
