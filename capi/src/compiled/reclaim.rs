//! When no slot is free, reclaims the slots of frames that `longjmp` has abandoned.

use super::abandoned::Abandoned;
use super::at_work::at_work;
use super::{maker, stack, thread_list};
use statictramp::for_capi::host;

/// Frees the trampolines of abandoned frames. Returns whether any trampolines were freed.
#[cold]
#[inline(never)]
pub(super) fn make_room() -> bool {
    let here = 0u8; // the address of this variable is below the frame of every caller
    let here = (&raw const here).addr();
    stack::abandoned_below(here).is_some_and(|abandoned| take_back(&abandoned))
        || stack::abandoned_below_if_learned_anew(here).is_some_and(|abandoned| take_back(&abandoned))
}

/// Frees the trampolines of this thread's abandoned frames, and returns whether any were freed. Trampolines made by
/// GCC-compiled code stay on their thread's list for as long as the thread exists, so no other thread may free them.
fn take_back(abandoned: &Abandoned) -> bool {
    let is_abandoned = |slot, chain: *mut ()| {
        abandoned.contains(chain.addr())
            && (maker::made_at(slot).is_some() || thread_list::is_abandoned(slot, abandoned))
    };
    let take = || {
        let listed = thread_list::free_abandoned(abandoned);
        // SAFETY: an abandoned frame never runs again, so it neither calls nor frees its trampolines.
        listed + unsafe { host::reclaim(is_abandoned) } > 0
    };
    at_work(abandoned.end(), |stack_pointer| abandoned.contains(stack_pointer), take).unwrap_or(false)
}
