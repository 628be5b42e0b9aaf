//! A hook that is told of every trampoline that Rust code makes and frees.
#![cfg(all(feature = "trace", not(loom)))]

use crate::sync::hook::Hook;

/// What has happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A trampoline lives.
    Made {
        /// The address to call.
        address: *const (),
        /// What its stub jumps to.
        entry: *const (),
        /// What it passes.
        chain: *mut (),
    },
    /// A trampoline is about to die.
    Freed {
        /// The address that was to be called.
        address: *const (),
    },
}

/// Is called where the event happens: on whatever thread, perhaps in a signal handler.
pub type Tracer = fn(Event);

static TRACER: Hook = Hook::new();

/// Sets the hook; `None` takes it away. It may still be called by a thread that has just
/// looked.
pub fn set_tracer(tracer: Option<Tracer>) {
    TRACER.set(tracer.map_or(core::ptr::null(), |tracer| tracer as *const ()));
}

#[inline]
fn tell(event: Event) {
    // SAFETY: only `set_tracer` stores there, and it stores such a function or null.
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
