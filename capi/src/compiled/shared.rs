//! The count of a trampoline that flang's code was given more than once (`mod.rs` says when).

use super::flang::NOWHERE;
use super::{place, stack};
use core::sync::atomic::Ordering::Relaxed;
use statictramp::runtime::{extra, host};

/// Gives the trampoline in a slot once more: false if it is not of flang's code, or was made neither at this very place nor at
/// another on this thread's own stack. The caller has looked that its content is the one that is wanted.
pub(super) fn share(slot: usize, place: usize) -> bool {
    if place == NOWHERE {
        return true; // nobody counts who has it
    }
    let Some(made_at) = place::made_at(slot) else { return false };
    if made_at != place && !stack::are_own(place, made_at) {
        return false;
    }
    let count = &extra::of(slot).first;
    count.store(count.load(Relaxed).wrapping_byte_add(1), Relaxed);
    true
}

/// Whether nobody else was given the trampoline in a slot of flang's code. The extra words of another's slot mean something else.
#[inline(always)]
pub(super) fn is_alone(slot: usize) -> bool {
    extra::of(slot).first.load(Relaxed).is_null()
}

/// Takes one from the count of a host's trampoline that is shared. False, and nothing is done, for any other.
pub(super) fn unshare(slot: usize) -> bool {
    let shared = !is_alone(slot) && host::content(slot).is_some() && place::made_at(slot).is_some();
    if shared {
        let count = &extra::of(slot).first;
        count.store(count.load(Relaxed).wrapping_byte_sub(1), Relaxed);
    }
    shared
}
