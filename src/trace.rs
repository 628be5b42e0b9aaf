//! A hook that is told of every trampoline that Rust code makes and frees.

use crate::sync::{Acquire, AtomicPtr, Release};

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

static TRACER: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Sets the hook; `None` takes it away. It may still be called by a thread that has just
/// looked.
///
/// Release and Acquire: what the program prepared for its tracer is there when it runs.
pub fn set_tracer(tracer: Option<Tracer>) {
    TRACER.store(tracer.map_or(core::ptr::null_mut(), |tracer| tracer as *mut ()), Release);
}

#[inline]
fn tell(event: Event) {
    let tracer = TRACER.load(Acquire);
    if !tracer.is_null() {
        // SAFETY: only `set_tracer` stores here, and it stores such a function.
        let tracer = unsafe { core::mem::transmute::<*mut (), Tracer>(tracer) };
        tracer(event);
    }
}

pub(crate) fn made(address: *const (), entry: *const (), chain: *mut ()) {
    tell(Event::Made { address, entry, chain });
}

pub(crate) fn freed(address: *const ()) {
    tell(Event::Freed { address });
}
