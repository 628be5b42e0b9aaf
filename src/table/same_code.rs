//! Comparison of new code with the code that runs.
//!
//! A file may have changed since it was loaded, and the running code may still be the old one: on overlayfs, which copies a
//! file that is written to, and in pages that the process has changed. So no segment is published before all of its code, the
//! neighbours of the stubs on their first and last page too, was found to be the running code: growth makes no
//! instruction executable that was not executable at the same offset before.
//!
//! A debugger may have put breakpoints into the running code. The file does not have them, and the new code need not.

use crate::arch::{BREAKPOINT_UNIT, breakpoint};

/// Bytes that are compared at once: both halves fit the small stack of a signal handler. Instructions do not lie across such a
/// boundary in stubs. In other code one may on RISC-V and in Thumb, and a breakpoint there counts as a difference.
const PIECE: usize = 1024;

/// How two stretches of code compare.
#[derive(PartialEq, Eq)]
pub(super) enum Compared {
    Same,
    Different,
    /// A part of the running code cannot be read.
    Unreadable,
}

/// Compares `len` bytes at `mapped` with those at `running`. `read` copies memory at an address as far as it can be read, and
/// returns how many bytes it has copied.
pub(super) fn compare(
    running: usize,
    mapped: usize,
    len: usize,
    read: impl Fn(usize, &mut [u8]) -> usize,
) -> Compared {
    let mut pieces = [[0; PIECE]; 2];
    for at in (0..len).step_by(PIECE) {
        let len = PIECE.min(len - at);
        let [ours, theirs] = pieces.each_mut().map(|piece| piece.get_mut(..len).unwrap_or_default());
        if read(running + at, ours) < len {
            return Compared::Unreadable;
        }
        if read(mapped + at, theirs) < len || ours != theirs && !only_breakpoints(ours, theirs) {
            return Compared::Different;
        }
    }
    Compared::Same
}

/// Whether `theirs` differs from `ours` only where `ours` has a breakpoint.
fn only_breakpoints(ours: &[u8], theirs: &[u8]) -> bool {
    let mut at = 0;
    while let Some(unit) = ours.get(at..at + BREAKPOINT_UNIT) {
        let skipped = breakpoint(ours.get(at..).unwrap_or_default());
        if skipped == 0 && theirs.get(at..at + BREAKPOINT_UNIT) != Some(unit) {
            return false;
        }
        at += skipped.max(BREAKPOINT_UNIT);
    }
    true
}
