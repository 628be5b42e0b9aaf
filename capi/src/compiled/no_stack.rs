//! In place of `stack.rs` where nobody asks the system where this thread's own stack lies: nothing is known to be gone.

/// Whether both places are on this thread's own stack: not that anybody knows.
pub(crate) fn are_own(_here: usize, _place: usize) -> bool {
    false
}
