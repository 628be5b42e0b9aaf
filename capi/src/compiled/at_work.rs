//! Work that a signal handler must not do while it interrupts the same work on its thread.

use super::stack;
use super::tls::Word;
use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::compiler_fence;

/// Does `work`, or returns `None` if this thread is already at work and a signal handler has interrupted it. `here`
/// must be above this work's frames and below every active frame. `left` reports whether a given address belongs to
/// work that a handler has abandoned by a jump; such work counts as ended.
#[inline(always)]
pub(crate) fn at_work<T>(here: usize, left: impl Fn(usize) -> bool, work: impl FnOnce() -> T) -> Option<T> {
    let before = Word::AtWork.get();
    if before != 0 && !left(before) {
        return None;
    }
    Word::AtWork.set(here - 1);
    // Only this thread and its handlers read the flag, so only the compiler must be kept from reordering the accesses.
    compiler_fence(SeqCst);
    let result = work();
    compiler_fence(SeqCst);
    Word::AtWork.set(0);
    Some(result)
}

/// Marks work as ended that was abandoned by a jump out of a handler, if that can be detected.
pub(super) fn end_left_work(here: usize) {
    let place = Word::AtWork.get();
    if place != 0 && stack::left_with(place, here).is_some() {
        Word::AtWork.set(0);
    }
}
