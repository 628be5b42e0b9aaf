//! Where the running stack lies, to tell hosts that are gone: `stack.rs`, for Windows.
//!
//! The thread environment block has the bounds of the stack that the thread runs on, a fiber's, too, while that runs. Below the
//! stack pointer there is nothing that somebody will come back to: exceptions are handled further down on the same stack, and
//! nothing comes between like a signal. Of a stack that a program has switched to by itself, without telling the system,
//! nothing is known, and nothing is gone.

use core::ops::Range;

/// What is in use of the running stack: from its lowest page to its end.
fn own() -> Range<usize> {
    let (low, high): (usize, usize);
    // SAFETY: reads two words of the thread environment block (`NT_TIB.StackLimit` and `StackBase`), which each thread has.
    unsafe {
        core::arch::asm!(
            "mov {0}, gs:[0x10]",
            "mov {1}, gs:[0x08]",
            out(reg) low, out(reg) high, options(nostack, preserves_flags, readonly),
        );
    }
    low..high
}

/// The frames below `here` on the running stack, all of which have been left.
pub(crate) fn left_below(here: usize) -> Option<Range<usize>> {
    let own = own();
    own.contains(&here).then_some(own.start..here)
}

/// As [`left_below`], but `None` unless `place` is among those frames.
pub(crate) fn left_with(place: usize, here: usize) -> Option<Range<usize>> {
    left_below(here).filter(|left| left.contains(&place))
}

/// Whether both `here`, where the stack pointer is, and another place are on the running stack.
pub(crate) fn are_own(here: usize, place: usize) -> bool {
    let own = own();
    own.contains(&here) && own.contains(&place)
}

/// The bounds are asked for each time.
pub(crate) fn left_below_if_learned_anew(_here: usize) -> Option<Range<usize>> {
    None
}
