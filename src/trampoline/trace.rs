//! A hook that is called when a trampoline is made through this crate's public interface, and when such a trampoline
//! is freed.
#![cfg(all(feature = "trace", not(loom)))]

use crate::sync::Hook;

/// An event that is reported to the hook.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A trampoline was made.
    Made {
        /// The address to call.
        address: *const (),
        /// The address that the trampoline's stub jumps to.
        entry: *const (),
        /// The chain that the stub passes.
        chain: *mut (),
    },
    /// A trampoline is about to be freed.
    Freed {
        /// The address of the trampoline.
        address: *const (),
    },
}

/// The type of the hook. The hook runs on the thread that makes or frees the trampoline, possibly in a signal
/// handler.
pub type Tracer = fn(Event);

static TRACER: Hook = Hook::new();

/// Sets the hook. `None` removes it. A thread that has just read the old hook may still call the old hook.
pub fn set_tracer(tracer: Option<Tracer>) {
    TRACER.set(tracer.map_or(core::ptr::null(), |tracer| tracer as *const ()));
}

#[inline]
fn tell(event: Event) {
    // SAFETY: only `set_tracer` writes `TRACER`, and it stores null or a `Tracer`.
    if let Some(tracer) = unsafe { core::mem::transmute::<*const (), Option<Tracer>>(TRACER.get()) } {
        tracer(event);
    }
}

pub(crate) fn made(address: *const (), entry: *const (), chain: *mut ()) {
    tell(Event::Made { address, entry, chain });
}

pub(crate) fn freed(address: *const ()) {
    tell(Event::Freed { address });
}
