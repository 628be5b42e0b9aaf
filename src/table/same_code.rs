//! Comparison of newly mapped code with the running code.
//!
//! A file can differ from the code that was loaded from it: overlayfs, for example, copies a file when it is written
//! to, and the process may have modified a page. A segment is therefore published only if its stubs equal the running
//! stubs. On Linux, the comparison includes the other code on the stubs' first and last pages, so growth makes no
//! instruction executable that was not already executable at the same offset.
//!
//! The running stubs may contain a debugger's breakpoints. The new code lacks them, because they are not in the file.
//! Since a breakpoint hides the bytes that it replaced, the new stub must consist of a stub's instructions and read the
//! slot that the running stub reads. In other code, one breakpoint is accepted per [`STUB_STRIDE`] bytes, so that
//! padding (`int3` on x86) cannot hide several instructions. No difference is accepted in the padding between stubs.

use super::linked;
use crate::arch::{BREAKPOINT_UNIT, STUB_STRIDE, breakpoint, decode_stub};
use crate::pool::SLOTS;
use crate::pool::{SLOT_STRIDE, number_at};
use core::iter::zip;

/// Number of bytes compared at a time; two buffers of this size fit on a signal handler's small stack.
const PIECE: usize = 1024;

// No stub spans two chunks, because both the pages and the stubs begin at multiples of 64.
static_assertions::const_assert!(64usize.is_multiple_of(STUB_STRIDE) && PIECE.is_multiple_of(64));

/// Result of a comparison.
#[derive(PartialEq, Eq)]
pub(crate) enum Compared {
    Same,
    Different,
    /// Part of the running code cannot be read.
    Unreadable,
}

/// Compares `len` bytes at `mapped` with the bytes at `running`. `running` must be the start of a page or of the first
/// stub. `read` copies memory as far as it is readable, and returns the number of bytes copied.
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

/// Returns whether `theirs` differs from `ours`, which runs at `running`, only by our breakpoints.
fn only_breakpoints(running: usize, ours: &[u8], theirs: &[u8]) -> bool {
    let stubs = zip(ours.chunks(STUB_STRIDE), theirs.chunks(STUB_STRIDE));
    zip((running..).step_by(STUB_STRIDE), stubs)
        .all(|(address, (ours, theirs))| ours == theirs || is_same_without_breakpoints(address, ours, theirs))
}

/// Returns whether `theirs` is the same code as `ours`, which runs at `address`, but without its breakpoints: one or
/// more in a stub, or exactly one in other code. The distance from `theirs` to its slots is the same, so a stub in
/// `theirs`, decoded at `address`, must yield the slot of the stub at that address.
fn is_same_without_breakpoints(address: usize, ours: &[u8], theirs: &[u8]) -> bool {
    let offset = address.wrapping_sub(linked::stubs().addr());
    let Some(number) = number_at(offset, SLOTS, STUB_STRIDE) else {
        return breakpoints(ours, theirs) == Some(1);
    };
    let slot = linked::slots().addr() + number as usize * SLOT_STRIDE;
    let Some((_, len)) = decode_stub(theirs, address).filter(|&(theirs, _)| theirs == slot) else {
        return false;
    };
    let both = theirs.split_at_checked(len).zip(ours.split_at_checked(len));
    let Some(((theirs, their_padding), (ours, our_padding))) = both else { return false };
    our_padding == their_padding && breakpoints(ours, theirs).is_some()
}

/// Returns the number of breakpoints in `ours` at which `theirs` differs, or `None` if it also differs elsewhere.
fn breakpoints(ours: &[u8], theirs: &[u8]) -> Option<usize> {
    let (mut at, mut count) = (0, 0);
    while at < ours.len() {
        let skipped = breakpoint(ours.get(at..)?);
        let end = at + skipped.max(BREAKPOINT_UNIT);
        if ours.get(at..end)? != theirs.get(at..end)? {
            if skipped == 0 {
                return None;
            }
            count += 1;
        }
        at = end;
    }
    Some(count)
}
