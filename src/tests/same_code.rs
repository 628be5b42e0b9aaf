//! Tests of the comparison of newly mapped code with the running code, which may contain breakpoints.

use crate::arch::{BREAKPOINTS, STUB_STRIDE, decode_stub};
use crate::pool::SLOTS;
use crate::table::same_code::{Compared, compare};
use crate::table::stubs;
use std::vec::Vec;

extern crate std;

/// Returns a breakpoint instruction of this processor.
fn known() -> &'static [u8] {
    BREAKPOINTS[0]
}

/// The number of code bytes on each side of the stubs.
const BESIDE: usize = 64;

/// Returns the stubs of this program, between bytes that look like breakpoints.
fn code() -> Vec<u8> {
    let beside: Vec<u8> = known().iter().copied().cycle().take(BESIDE).collect();
    // SAFETY: the memory consists of the linked stubs, which no code modifies.
    let stubs = unsafe { core::slice::from_raw_parts(stubs(), SLOTS * STUB_STRIDE) };
    [&beside, stubs, &beside].concat()
}

/// Compares `theirs`, the contents of a file, with `ours`, as if `ours` ran at the address of this program's stubs.
fn compared(ours: &[u8], theirs: &[u8]) -> Compared {
    let running = stubs().addr() - BESIDE;
    compare(running, 0, ours.len(), |address, bytes| {
        let (code, at) = address.checked_sub(running).map_or((theirs, address), |at| (ours, at));
        bytes.copy_from_slice(&code[at..at + bytes.len()]);
        bytes.len()
    })
}

/// Returns the offset of the second stub in `code`, and the size of its instructions.
fn second_stub(code: &[u8]) -> (usize, usize) {
    let start = BESIDE + STUB_STRIDE;
    let address = stubs().addr() + STUB_STRIDE;
    (start, decode_stub(&code[start..], address).expect("a stub").1)
}

#[test]
fn a_breakpoint_in_a_stub_is_accepted() {
    let theirs = code();
    let (start, len) = second_stub(&theirs);
    let (breakpoint, mut all) = (known(), theirs.clone());
    for at in (start..start + len).step_by(breakpoint.len()) {
        let mut ours = theirs.clone();
        for code in [&mut ours, &mut all] {
            code[at..at + breakpoint.len()].copy_from_slice(breakpoint);
        }
        assert!(compared(&ours, &theirs) == Compared::Same);
        assert!(compared(&all, &theirs) == Compared::Same);
    }
}

#[test]
fn a_file_with_a_different_stub_at_a_breakpoint_is_rejected() {
    let original = code();
    let (start, len) = second_stub(&original);
    let mut ours = original.clone();
    let breakpoints = known().iter().copied().cycle();
    ours[start..start + len].iter_mut().zip(breakpoints).for_each(|(byte, of)| *byte = of);
    for bit in start * 8..(start + len) * 8 {
        let mut theirs = original.clone();
        theirs[bit / 8] ^= 1 << (bit % 8);
        assert!(compared(&ours, &theirs) == Compared::Different, "bit {} of a stub", bit - start * 8);
    }
    // The stub of another slot must not be accepted at this address.
    let mut theirs = original.clone();
    theirs.copy_within(start + 2 * STUB_STRIDE..start + 2 * STUB_STRIDE + len, start);
    let same = theirs == original; // true if stubs and slots have the same stride
    assert!(same || compared(&ours, &theirs) == Compared::Different);
}

#[test]
fn breakpoints_in_padding_are_rejected() {
    let mut ours = code();
    let (start, len) = second_stub(&ours);
    let padding = start + len..start + STUB_STRIDE;
    let breakpoints = known().iter().copied().cycle();
    ours[padding.clone()].iter_mut().zip(breakpoints).for_each(|(byte, of)| *byte = of);
    for at in padding {
        let mut theirs = ours.clone();
        assert!(compared(&ours, &theirs) == Compared::Same);
        theirs[at] ^= 1;
        assert!(compared(&ours, &theirs) == Compared::Different, "byte {at}");
    }
}

#[test]
fn one_breakpoint_per_stride_outside_the_stubs_is_accepted() {
    let ours = code();
    for at in (0..BESIDE).chain(ours.len() - BESIDE..ours.len()) {
        let mut theirs = ours.clone();
        theirs[at] ^= 1;
        assert!(compared(&ours, &theirs) == Compared::Same, "byte {at}");
        assert!(compared(&theirs, &ours) == Compared::Different, "byte {at} without a breakpoint");
        let offset = at % STUB_STRIDE;
        theirs[at - offset + (offset + known().len()) % STUB_STRIDE] ^= 1;
        assert!(compared(&ours, &theirs) == Compared::Different, "byte {at} and the next breakpoint");
    }
}
