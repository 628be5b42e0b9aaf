//! A guard for changes to a thread's list or slots. A signal handler must not make such changes if it has interrupted
//! code that was making them on the same thread.

use super::stack;
use super::tls::Word;
use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::compiler_fence;

/// Calls `work` and returns its result, or does nothing and returns `None` if the caller is a signal handler that has
/// interrupted a call to this function on the same thread. `here` must be a stack address above the frames of `work`
/// and below every frame that is already active. `is_abandoned` returns whether a stack address belongs to work that
/// was abandoned when a handler jumped out of it.
#[inline(always)]
pub(crate) fn at_work<T>(
    here: usize,
    is_abandoned: impl Fn(usize) -> bool,
    work: impl FnOnce() -> T,
) -> Option<T> {
    let before = Word::AtWork.get();
    if before != 0 && !is_abandoned(before) {
        return None;
    }
    Word::AtWork.set(here - 1);
    // Only this thread and its signal handlers access the flag, so a compiler fence suffices.
    compiler_fence(SeqCst);
    let result = work();
    compiler_fence(SeqCst);
    Word::AtWork.set(0);
    Some(result)
}

/// Marks this thread's work as ended if a handler is known to have abandoned the work by jumping out of it.
pub(super) fn end_abandoned_work(here: usize) {
    let stack_pointer = Word::AtWork.get();
    if stack_pointer != 0 && stack::abandoned_with(stack_pointer, here).is_some() {
        Word::AtWork.set(0);
    }
}
