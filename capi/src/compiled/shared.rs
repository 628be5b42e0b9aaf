//! The use count of a trampoline that code compiled by flang has received more than once (`mod.rs` explains when this
//! happens).

use super::place::{self, NOWHERE};
use super::stack;
use core::sync::atomic::Ordering::Relaxed;
use statictramp::for_capi::{extra, host};

/// Increments the use count of the trampoline in a slot, if the trampoline can be shared. Returns whether it can. If
/// `place` is [`NOWHERE`], the trampoline can be shared, but this use is not counted. Otherwise, code compiled by flang
/// must have made the trampoline, either at exactly `place`, or with both places on this thread's own stack. The caller
/// must have checked that the slot has the requested contents.
pub(super) fn share(slot: usize, place: usize) -> bool {
    if place == NOWHERE {
        return true; // a request without a place is not counted
    }
    let Some(made_at) = place::made_at(slot) else { return false };
    if made_at != place && !stack::are_own(place, made_at) {
        return false;
    }
    place::note_shared(slot);
    let count = &extra::of(slot).first;
    count.store(count.load(Relaxed).wrapping_byte_add(1), Relaxed);
    true
}

/// Decrements the use count of a shared trampoline, and returns true. For any other trampoline, returns false and does
/// nothing.
pub(super) fn unshare(slot: usize) -> bool {
    let count = || &extra::of(slot).first;
    let shared = place::may_be_shared(slot)
        && !count().load(Relaxed).is_null()
        && host::content(slot).is_some()
        && place::made_at(slot).is_some();
    if shared {
        let count = count();
        count.store(count.load(Relaxed).wrapping_byte_sub(1), Relaxed);
    }
    shared
}
