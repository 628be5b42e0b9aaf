//! As `names.rs`, for targets without stubs, which may have no sections either: for each slot the closure that it led to last.

use crate::message::Message;
use crate::pool::SLOTS;
use crate::sync::{AtomicPtr, Relaxed, atomics};
use core::panic::Location;
use core::ptr::null_mut;

/// Says the name of a closure.
type Name = fn() -> &'static str;

struct Noted {
    adapter: AtomicPtr<()>,
    /// A [`Name`], or null.
    name: AtomicPtr<()>,
    place: AtomicPtr<Location<'static>>,
}

/// Relaxed throughout: constants are all that these lead to, and whoever calls the function of a slot got it after its
/// closure was noted.
static NOTED: [Noted; SLOTS] = atomics![
    Noted {
        adapter: AtomicPtr::new(null_mut()),
        name: AtomicPtr::new(null_mut()),
        place: AtomicPtr::new(null_mut())
    };
    SLOTS
];

/// Notes which closure a slot leads to, which the caller has claimed, and where it was bound.
pub(crate) fn note(slot: usize, adapter: *const (), name: Name, place: &'static Location<'static>) {
    let noted = &NOTED[slot];
    noted.name.store((name as *const ()).cast_mut(), Relaxed);
    noted.place.store(core::ptr::from_ref(place).cast_mut(), Relaxed);
    noted.adapter.store(adapter.cast_mut(), Relaxed);
}

/// A closure that was bound.
pub(crate) struct Named {
    name: Name,
    place: Option<&'static Location<'static>>,
}

/// The closure that a slot led to last, if it is the one that an adapter leads to: the slot may serve another by now.
pub(crate) fn of(slot: usize, adapter: *const ()) -> Option<Named> {
    let noted = NOTED.get(slot).filter(|noted| noted.adapter.load(Relaxed).cast_const() == adapter)?;
    // SAFETY: null, or such a function: only `note` stores there.
    let name = unsafe { core::mem::transmute::<*mut (), Option<Name>>(noted.name.load(Relaxed)) }?;
    // SAFETY: null, or one that is there for good.
    let place = unsafe { noted.place.load(Relaxed).as_ref() };
    Some(Named { name, place })
}

impl Named {
    /// Appends its name, and where it was bound.
    pub(crate) fn append(&self, message: &mut Message) {
        message.type_name((self.name)());
        if let Some(place) = self.place {
            message
                .text(", bound at ")
                .foreign(place.file().as_bytes())
                .text(":")
                .decimal(place.line() as usize);
        }
    }
}
