//! Work that a signal handler must not do while it interrupts the same work on its thread.

use super::stack;
use super::tls::Word;
use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::compiler_fence;

/// Does `work`, or returns `None` if this thread is at work already: then a signal handler has
/// interrupted that. `here` is above this work and below every frame that is not left; `left` tells
/// whether a given place is of work that a handler left by a jump, which counts as ended.
#[inline(always)]
pub(crate) fn at_work<T>(here: usize, left: impl Fn(usize) -> bool, work: impl FnOnce() -> T) -> Option<T> {
    let before = Word::AtWork.get();
    if before != 0 && !left(before) {
        return None;
    }
    Word::AtWork.set(here - 1);
    // Only this thread and its handlers look, so the compiler alone must keep the order.
    compiler_fence(SeqCst);
    let result = work();
    compiler_fence(SeqCst);
    Word::AtWork.set(0);
    Some(result)
}

/// Ends work that was left by a jump out of a handler, where that can be told.
pub(super) fn end_left_work(here: usize) {
    let place = Word::AtWork.get();
    if place != 0 && stack::left_with(place, here).is_some() {
        Word::AtWork.set(0);
    }
}
