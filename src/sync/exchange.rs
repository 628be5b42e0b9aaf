//! The two exchanges of the bare pool: claiming a slot, and counting a free. On a processor without exchange
//! instructions, an exchange is two plain accesses in a critical section that the program provides.
//!
//! Loads and stores never enter the section, so an interrupt handler that the section does not mask may free, look up
//! and call trampolines at any time. If an exchange runs in a section, any plain store between the exchange's load and
//! its store is lost. Such an exchange therefore expects a value that only other exchanges replace: a dead slot's
//! state, for example, is replaced only by a claim.

use super::{AtomicU32, AtomicUsize, Relaxed, Release};

#[cfg(all(not(test), target_has_atomic = "ptr"))]
pub(crate) use by_instruction::{count, replace};
#[cfg(not(target_has_atomic = "ptr"))]
pub(crate) use in_section::{count, replace};
#[cfg(all(test, loom))]
pub(crate) use of_test::has_section;
#[cfg(test)]
pub(crate) use of_test::{choose_section, count, replace};

#[cfg(target_has_atomic = "ptr")]
mod by_instruction {
    use super::{AtomicU32, AtomicUsize, Relaxed, Release};

    /// Stores `to` with Release if the word contains `from`. Returns whether `to` was stored.
    #[inline(always)]
    pub(crate) fn replace(word: &AtomicU32, from: u32, to: u32) -> bool {
        word.compare_exchange(from, to, Release, Relaxed).is_ok()
    }

    /// Adds 1 with Release.
    #[inline(always)]
    pub(crate) fn count(counter: &AtomicUsize) {
        counter.fetch_add(1, Release);
    }
}

#[cfg(any(test, not(target_has_atomic = "ptr")))]
mod in_section {
    use super::{AtomicU32, AtomicUsize, Relaxed, Release};

    /// Stores `to` with Release if the word contains `from`, a value that only this function may replace. Returns
    /// whether `to` was stored.
    ///
    /// Relaxed for the load: `from` can only have been replaced in an earlier section, so the load sees the
    /// replacement. Release for the store: other code loads the word outside any section.
    #[inline(always)]
    pub(crate) fn replace(word: &AtomicU32, from: u32, to: u32) -> bool {
        crate::sync::section::with(|| {
            let is_from = word.load(Relaxed) == from;
            if is_from {
                word.store(to, Release);
            }
            is_from
        })
    }

    /// Adds 1 with Release. A call that runs between another call's load and store is not counted.
    #[inline(always)]
    pub(crate) fn count(counter: &AtomicUsize) {
        counter.store(counter.load(Relaxed).wrapping_add(1), Release);
    }
}

#[cfg(test)]
#[path = "../tests/either_exchange.rs"]
mod of_test;
