//! The replacement for `names.rs` on targets without stubs, which may also lack sections. Records, for each slot, the
//! closure that was last bound to it.

use crate::message::Message;
use crate::pool::SLOTS;
use crate::sync::{AtomicPtr, Relaxed, atomics};
use core::panic::Location;
use core::ptr::null_mut;

/// A function that returns the name of a closure.
type Name = fn() -> &'static str;

struct SlotName {
    adapter: AtomicPtr<()>,
    /// The [`Name`] of the closure, or null.
    name: AtomicPtr<()>,
    location: AtomicPtr<Location<'static>>,
}

/// All accesses are Relaxed: the pointers refer only to constants, and a thread that calls a slot's function got the
/// function's address after the closure was recorded.
static NAMES: [SlotName; SLOTS] = atomics![
    SlotName {
        adapter: AtomicPtr::new(null_mut()),
        name: AtomicPtr::new(null_mut()),
        location: AtomicPtr::new(null_mut())
    };
    SLOTS
];

/// Records the closure and the source location for a slot. The caller must have claimed the slot.
pub(crate) fn record(slot: usize, adapter: *const (), name: Name, location: &'static Location<'static>) {
    let entry = &NAMES[slot];
    entry.name.store((name as *const ()).cast_mut(), Relaxed);
    entry.location.store(core::ptr::from_ref(location).cast_mut(), Relaxed);
    entry.adapter.store(adapter.cast_mut(), Relaxed);
}

/// The name and source location of a closure that was bound.
pub(crate) struct Named {
    name: Name,
    location: Option<&'static Location<'static>>,
}

/// Returns the closure that was last bound to a slot, if `adapter` is that closure's adapter. If the slot has been
/// reused, `adapter` might belong to an earlier closure.
pub(crate) fn of(slot: usize, adapter: *const ()) -> Option<Named> {
    let entry = NAMES.get(slot).filter(|entry| entry.adapter.load(Relaxed).cast_const() == adapter)?;
    // SAFETY: only `record` writes this field, and it stores a `Name`; until then, the field is null, that is, `None`.
    let name = unsafe { core::mem::transmute::<*mut (), Option<Name>>(entry.name.load(Relaxed)) }?;
    // SAFETY: the pointer is null or points to a location that is never freed.
    let location = unsafe { entry.location.load(Relaxed).as_ref() };
    Some(Named { name, location })
}

impl Named {
    /// Appends the name and the source location.
    pub(crate) fn append(&self, message: &mut Message) {
        message.type_name((self.name)());
        if let Some(location) = self.location {
            message
                .text(", bound at ")
                .foreign(location.file().as_bytes())
                .text(":")
                .decimal(location.line() as usize);
        }
    }
}
