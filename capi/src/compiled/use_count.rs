//! The use count of a trampoline that code compiled by flang has received more than once (`mod.rs` explains when this
//! happens).

use super::maker::{self, UNKNOWN};
use super::stack;
use core::sync::atomic::Ordering::Relaxed;
use statictramp::for_capi::{extra, host};

/// Increments the use count of the trampoline in a slot, if the trampoline can be shared. Returns whether it can. If
/// `stack_pointer` is [`UNKNOWN`], the trampoline can be shared, but this use is not counted. Otherwise, code compiled by flang
/// must have made the trampoline, either with exactly `stack_pointer`, or with both stack pointers on this thread's own stack. The caller
/// must have checked that the slot has the requested contents.
pub(super) fn share(slot: usize, stack_pointer: usize) -> bool {
    if stack_pointer == UNKNOWN {
        return true; // a request without a stack pointer is not counted
    }
    let Some(made_at) = maker::made_at(slot) else { return false };
    if made_at != stack_pointer && !stack::are_own(stack_pointer, made_at) {
        return false;
    }
    maker::record_shared(slot);
    let count = &extra::of(slot).first;
    count.store(count.load(Relaxed).wrapping_byte_add(1), Relaxed);
    true
}

/// Decrements the use count of a shared trampoline, and returns true. For any other trampoline, returns false and does
/// nothing.
pub(super) fn unshare(slot: usize) -> bool {
    let count = || &extra::of(slot).first;
    let shared = maker::may_be_shared(slot)
        && !count().load(Relaxed).is_null()
        && host::content(slot).is_some()
        && maker::made_at(slot).is_some();
    if shared {
        let count = count();
        count.store(count.load(Relaxed).wrapping_byte_sub(1), Relaxed);
    }
    shared
}
