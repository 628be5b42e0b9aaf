//! Reclaims the slots of frames that `longjmp` has abandoned. This happens when no slot is free.

#[cfg(any(unix, windows))]
pub(crate) use threads::make_room;

/// Does nothing on boards, where compiled code makes no trampolines, so none can be abandoned.
#[cfg(not(any(unix, windows)))]
pub(crate) fn make_room() -> bool {
    false
}

#[cfg(any(unix, windows))]
mod threads {
    use crate::compiled::at_work::at_work;
    use crate::compiled::left::Left;
    use crate::compiled::{place, stack, thread_list};
    use statictramp::for_capi::host;

    /// Frees the trampolines of abandoned frames. Returns whether there were any.
    #[cold]
    #[inline(never)]
    pub(crate) fn make_room() -> bool {
        let here = 0u8; // the address of this variable is below the frame of every caller
        let here = (&raw const here).addr();
        stack::left_below(here).is_some_and(|left| take_back(&left))
            || stack::left_below_if_learned_anew(here).is_some_and(|left| take_back(&left))
    }

    /// Frees the trampolines that frames of this thread have abandoned, and returns whether there were any. Trampolines
    /// made by GCC-compiled code are on their thread's list as long as the thread exists, so no other thread may free
    /// them.
    fn take_back(left: &Left) -> bool {
        let abandoned = |slot, chain: *mut ()| {
            left.contains(chain.addr())
                && (place::made_at(slot).is_some() || thread_list::is_left(slot, left))
        };
        let take = || {
            let listed = thread_list::free_left(left);
            // SAFETY: an abandoned frame never runs again, so it neither calls nor frees its trampolines.
            listed + unsafe { host::reclaim(abandoned) } > 0
        };
        at_work(left.end(), |place| left.contains(place), take).unwrap_or(false)
    }
}
