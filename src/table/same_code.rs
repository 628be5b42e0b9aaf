//! Comparison of new code with the code that runs.
//!
//! A file may have changed since it was loaded, and the running code may still be the old one: on overlayfs, which copies a
//! file that is written to, and in pages that the process has changed. So no segment is published before all of its code, the
//! neighbours of the stubs on their first and last page too, was found to be the running code: growth makes no
//! instruction executable that was not executable at the same offset before.
//!
//! A debugger may have put breakpoints into the running stubs. The file does not have them, and the new code need not. Such a
//! difference says nothing of the byte that the breakpoint replaced, so the new stub must consist of the instructions of a
//! stub, and read the slot of the running one. In the padding of stubs, which is `int3` on x86, and in the code beside them any
//! difference counts.

use super::linked;
use crate::arch::{BREAKPOINT_UNIT, STUB_STRIDE, breakpoint, decode_stub};
use crate::pool::SLOTS;
use crate::pool::stubs::{SLOT_STRIDE, number_at};
use core::iter::zip;

/// Bytes that are compared at once: both halves fit the small stack of a signal handler.
const PIECE: usize = 1024;

// No stub lies in two pieces: both the pages and the stubs begin at multiples of 64.
static_assertions::const_assert!(64usize.is_multiple_of(STUB_STRIDE) && PIECE.is_multiple_of(64));

/// How two stretches of code compare.
#[derive(PartialEq, Eq)]
pub(crate) enum Compared {
    Same,
    Different,
    /// A part of the running code cannot be read.
    Unreadable,
}

/// Compares `len` bytes at `mapped` with those at `running`, where a page or the first stub begins. `read` copies memory at an
/// address as far as it can be read, and returns how many bytes it has copied.
pub(crate) fn compare(
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
        if read(mapped + at, theirs) < len || ours != theirs && !only_breakpoints(running + at, ours, theirs)
        {
            return Compared::Different;
        }
    }
    Compared::Same
}

/// Whether `theirs` differs from `ours`, which runs at `running`, only where stubs of ours have breakpoints.
fn only_breakpoints(running: usize, ours: &[u8], theirs: &[u8]) -> bool {
    let stubs = zip(ours.chunks(STUB_STRIDE), theirs.chunks(STUB_STRIDE));
    zip((running..).step_by(STUB_STRIDE), stubs)
        .all(|(address, (ours, theirs))| ours == theirs || is_stub_without_breakpoints(address, ours, theirs))
}

/// Whether `ours`, which runs at `address`, is a stub with breakpoints, and `theirs` the same stub without them. `theirs` has
/// the same distance to its slots, so it must read at `address` what the stub there reads.
fn is_stub_without_breakpoints(address: usize, ours: &[u8], theirs: &[u8]) -> bool {
    let offset = address.wrapping_sub(linked::stubs().addr());
    let Some(number) = number_at(offset, SLOTS, STUB_STRIDE) else { return false };
    let slot = linked::slots().addr() + number as usize * SLOT_STRIDE;
    // The instructions of a stub are the fewest bytes that decode as one. Padding follows.
    let instructions = (0..=theirs.len())
        .filter_map(|len| theirs.split_at_checked(len))
        .find(|(code, _)| decode_stub(code, address) == Some(slot));
    let Some((theirs, their_padding)) = instructions else { return false };
    let Some((ours, our_padding)) = ours.split_at_checked(theirs.len()) else { return false };
    our_padding == their_padding && differ_by_breakpoints(ours, theirs)
}

/// Whether `theirs` differs from `ours` only where `ours` has a breakpoint.
fn differ_by_breakpoints(ours: &[u8], theirs: &[u8]) -> bool {
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
