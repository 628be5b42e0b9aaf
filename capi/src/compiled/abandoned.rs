//! The part of the running stack below the active frames: all frames in it have been abandoned.

use core::ops::Range;

/// The range of abandoned frames: from the low end of a stack up to `here`, an address below every active frame on it.
pub(crate) struct Abandoned {
    low: usize,
    here: usize,
    high: usize,
}

impl Abandoned {
    /// Makes the range. Returns `None` if `here` is not on the stack.
    pub(crate) fn new(stack: Range<usize>, here: usize) -> Option<Abandoned> {
        let Range { start: low, end: high } = stack;
        (low..high).contains(&here).then_some(Abandoned { low, here, high })
    }

    /// Returns whether an address belongs to an abandoned frame.
    pub(crate) fn contains(&self, address: usize) -> bool {
        (self.low..self.here).contains(&address)
    }

    /// Returns whether a trampoline made with this stack pointer was abandoned with its host. The chain may point into
    /// another stack or, with AddressSanitizer, to variables on the heap.
    pub(crate) fn has_host(&self, stack_pointer: usize, chain: usize) -> bool {
        self.contains(stack_pointer) && !self.is_active(chain)
    }

    /// Returns whether a trampoline was made below `here` for a host that is still active. In that case, the function
    /// that made the trampoline has returned.
    pub(crate) fn was_made_for_active(&self, stack_pointer: usize, chain: usize) -> bool {
        self.contains(stack_pointer) && self.is_active(chain)
    }

    fn is_active(&self, address: usize) -> bool {
        (self.here..self.high).contains(&address)
    }

    /// Returns the low end of the active frames.
    pub(crate) fn end(&self) -> usize {
        self.here
    }
}
