//! The calls in progress through trampolines in a model.

use super::Trampoline;
use crate::pool::SLOTS;
use crate::sync::{AtomicUsize, Relaxed};

// The number of calls in progress through each slot.
loom::lazy_static! {
    static ref RUNNING: [AtomicUsize; SLOTS] = core::array::from_fn(|_| AtomicUsize::new(0));
}

/// A call in progress.
pub(crate) struct Running(usize);

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING[self.0].fetch_sub(1, Relaxed);
    }
}

impl Trampoline {
    /// Counts a call as in progress until the returned value is dropped. Calls are counted per slot, because the
    /// trampoline may be dropped before the call ends.
    pub(crate) fn running(&self) -> Running {
        let index = self.0.index as usize;
        // Relaxed, here and in `drop`: the program must use other operations to make the end of a call happen before
        // the drop of the guard. Only then is the drop certain to see that the call has ended.
        RUNNING[index].fetch_add(1, Relaxed);
        Running(index)
    }

    /// Checks that no call through the trampoline is in progress.
    ///
    /// # Panics
    /// Panics if a call is in progress, or if the end of a call does not happen before this check.
    pub(crate) fn assert_at_rest(&self) {
        let index = self.0.index as usize;
        if !std::thread::panicking() {
            let calls = RUNNING[index].load(Relaxed);
            assert!(calls == 0, "the guard of slot {index} was dropped during a call through its pointer");
        }
    }
}
