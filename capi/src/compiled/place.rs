//! The extra words of a host's slot: `{count, place}` of a trampoline that flang's code made, `{link, place, thread}`
//! of one that GCC's code made.
//!
//! The *place* is the stack pointer at which the trampoline was made. Its lowest bit is set for flang's, and clear for
//! GCC's (`thread_list.rs`).

use core::ptr::{null_mut, without_provenance_mut};
use core::sync::atomic::Ordering::Relaxed;
use statictramp::runtime::{extra, host};

/// Set in the second word beside the place, unless GCC's code made the trampoline.
const NOT_OF_GCC: usize = 1;

/// Records where flang's code makes a trampoline, and that it is not shared.
///
/// Relaxed: arming releases it.
pub(super) fn note(slot: usize, place: usize) {
    extra::of(slot).second.store(without_provenance_mut(place | NOT_OF_GCC), Relaxed);
    note_alone(slot);
}

/// Records that a trampoline is not shared. Its slot may have a count left from a host whose frame was abandoned.
///
/// Relaxed: arming releases it.
#[inline(always)]
pub(super) fn note_alone(slot: usize) {
    extra::of(slot).first.store(null_mut(), Relaxed);
}

/// Records where GCC's code makes a trampoline, and on which thread.
///
/// Relaxed: arming releases it to threads that check the owner.
#[inline(always)]
pub(super) fn note_of_gcc(slot: usize, place: usize) {
    let extra = extra::of(slot);
    extra.second.store(without_provenance_mut(place), Relaxed);
    extra.third.store(without_provenance_mut(host::thread()), Relaxed);
}

/// Clears the place of a trampoline that flang's code did not receive after all.
pub(super) fn forget(slot: usize) {
    extra::of(slot).second.store(null_mut(), Relaxed);
}

/// Whether flang's code made a trampoline at this place.
#[inline(always)]
pub(super) fn is_at(slot: usize, place: usize) -> bool {
    // Not with OR, which would need one more register on the fast path.
    extra::of(slot).second.load(Relaxed).addr().wrapping_sub(place) == NOT_OF_GCC
}

/// The place at which a trampoline was made; `None` for one of GCC's.
#[inline(always)]
pub(crate) fn made_at(slot: usize) -> Option<usize> {
    let place = extra::of(slot).second.load(Relaxed).addr();
    (place & NOT_OF_GCC != 0).then_some(place & !NOT_OF_GCC)
}

/// The place at which GCC's code made a trampoline. For one of flang's, an address that no stack pointer has.
#[inline(always)]
pub(super) fn made_by_gcc_at(slot: usize) -> usize {
    extra::of(slot).second.load(Relaxed).addr()
}

/// Whether this thread, or an earlier one with the same identifier, made a trampoline through GCC's code.
pub(super) fn is_of_this_thread(slot: usize) -> bool {
    extra::of(slot).third.load(Relaxed).addr() == host::thread()
}
