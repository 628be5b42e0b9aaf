//! The extra words in the slots of compiled code's trampolines: `{count, stack pointer}` for flang, `{link, stack
//! pointer, thread}` for GCC.
//!
//! The stack pointer is the one at the call that made the trampoline. Its two lowest bits are 0, so the lowest bit of
//! the second word distinguishes code compiled by flang (1) from code compiled by GCC (0).

use super::stack;
use core::ptr::{null_mut, without_provenance_mut};
use core::sync::atomic::Ordering::Relaxed;
use statictramp::for_capi::{extra, host};

/// The bit in the second word that is set if code compiled by flang made the trampoline.
const OF_FLANG: usize = 1;

/// The bit in the second word that is set once the trampoline has been shared. It remains set until the slot is next
/// used with another stack pointer, or through the slow path.
const SHARED: usize = 2;

/// The value used instead of the stack pointer if the caller never frees the trampoline and might return before the
/// host does.
pub(super) const UNKNOWN: usize = 0;

/// Records the stack pointer with which code compiled by flang makes a trampoline, and marks the trampoline as not
/// shared. Also clears any count left over from an abandoned host.
///
/// Relaxed: arming the slot releases these stores.
pub(super) fn record(slot: usize, stack_pointer: usize) {
    let extra = extra::of(slot);
    extra.second.store(without_provenance_mut(stack_pointer | OF_FLANG), Relaxed);
    extra.first.store(null_mut(), Relaxed);
}

/// Records that a trampoline has been shared. Code compiled by flang must have made the trampoline.
///
/// Relaxed: the same thread makes, shares and frees the trampoline (`mod.rs`).
pub(super) fn record_shared(slot: usize) {
    let stack_pointer = &extra::of(slot).second;
    stack_pointer
        .store(stack_pointer.load(Relaxed).map_addr(|stack_pointer| stack_pointer | SHARED), Relaxed);
}

/// Returns whether a trampoline has been shared since `record` recorded the stack pointer. Code compiled by flang must
/// have made the trampoline (in other slots, the extra words have other meanings).
#[inline(always)]
pub(super) fn has_been_shared(slot: usize) -> bool {
    extra::of(slot).second.load(Relaxed).addr() & SHARED != 0
}

/// Records the thread and the stack pointer with which GCC-compiled code makes a trampoline.
///
/// Relaxed: arming the slot releases this store to threads that check the owner.
#[inline(always)]
pub(super) fn record_gcc(slot: usize, stack_pointer: usize) {
    let extra = extra::of(slot);
    extra.second.store(without_provenance_mut(stack_pointer), Relaxed);
    extra.third.store(without_provenance_mut(host::thread()), Relaxed);
}

/// Clears the recorded stack pointer of a trampoline that was made for flang-compiled code but never returned to that
/// code.
pub(super) fn clear(slot: usize) {
    extra::of(slot).second.store(null_mut(), Relaxed);
}

/// Returns whether code compiled by flang made a slot's trampoline with exactly this stack pointer and the trampoline
/// has not been shared.
#[inline(always)]
pub(super) fn was_made_at(slot: usize, stack_pointer: usize) -> bool {
    // The comparison avoids OR, which would need one more register on the fast path.
    extra::of(slot).second.load(Relaxed).addr().wrapping_sub(stack_pointer) == OF_FLANG
}

/// Returns the stack pointer with which code compiled by flang made the trampoline in a slot, or `None` if code
/// compiled by GCC made it.
#[inline(always)]
pub(crate) fn made_at(slot: usize) -> Option<usize> {
    let stack_pointer = extra::of(slot).second.load(Relaxed).addr();
    (stack_pointer & OF_FLANG != 0).then_some(stack_pointer & !(OF_FLANG | SHARED))
}

/// Returns the stack pointer with which code compiled by GCC made the trampoline in a slot. If code compiled by flang
/// made it, returns a value that no stack pointer can have.
#[inline(always)]
pub(super) fn made_by_gcc_at(slot: usize) -> usize {
    extra::of(slot).second.load(Relaxed).addr()
}

/// Returns whether code compiled by GCC made the trampoline in a slot on this thread, or on an earlier thread with the
/// same identifier.
pub(super) fn is_of_this_thread(slot: usize) -> bool {
    extra::of(slot).third.load(Relaxed).addr() == host::thread()
}

/// Returns whether the trampoline in a slot can be shared, and counts this use if so. If `stack_pointer` is
/// [`UNKNOWN`], the trampoline can be shared, but the use is not counted. Otherwise, the trampoline can be shared only
/// if code compiled by flang made it, either with exactly `stack_pointer` or, if both are on this thread's own stack,
/// with another stack pointer. The caller must have checked that the slot has the requested contents.
pub(super) fn share(slot: usize, stack_pointer: usize) -> bool {
    if stack_pointer == UNKNOWN {
        return true; // a request without a stack pointer is not counted
    }
    let Some(made_at) = made_at(slot) else { return false };
    if made_at != stack_pointer && !stack::are_own(stack_pointer, made_at) {
        return false;
    }
    record_shared(slot);
    let count = &extra::of(slot).first;
    count.store(count.load(Relaxed).wrapping_byte_add(1), Relaxed);
    true
}

/// Decrements the use count of a shared trampoline and returns true. For any other trampoline, does nothing and returns
/// false.
pub(super) fn unshare(slot: usize) -> bool {
    let count = || &extra::of(slot).first;
    let shared = has_been_shared(slot)
        && !count().load(Relaxed).is_null()
        && host::content(slot).is_some()
        && made_at(slot).is_some();
    if shared {
        let count = count();
        count.store(count.load(Relaxed).wrapping_byte_sub(1), Relaxed);
    }
    shared
}
