//! The initial stack of the process, as `/proc/self` describes it.
//!
//! Applying `mlock`, `madvise` or `mprotect` to a page splits that stack into several mappings, and the kernel names
//! only the one with the program's arguments `[stack]`. In `maps`, the other parts look like unnamed memory that the
//! program maps directly below the stack. `smaps` distinguishes the stack from such memory, because each part of the
//! stack keeps the `gd` flag ("grows down").

use super::maps::Lines;
use super::system;
use core::ops::Range;

/// Returns the current extent of the process's initial stack, up to an address above all its frames, or `None` if the
/// extent cannot be determined. Async-signal-safe.
pub fn first_stack() -> Option<Range<usize>> {
    // The kernel put the AT_RANDOM bytes on the initial stack before the program started.
    let top = system::getauxval(libc::AT_RANDOM) as usize;
    let mut lines = Lines::new();
    let (part, is_alone) = lines.open(c"/proc/self/maps").then(|| named_part(&mut lines, top))??;
    if let Some(low) = part
        && is_alone
    {
        return Some(low..top);
    }
    let low = if lines.open(c"/proc/self/smaps") { lowest_part(&mut lines, top) } else { None };
    Some(low.or(part)?..top)
}

/// Finds the mapping that contains `top`. Returns its low end (`None` if it is not named `[stack]`), and whether no
/// other mapping ends where this one begins.
fn named_part(lines: &mut Lines, top: usize) -> Option<(Option<usize>, bool)> {
    let mut last = 0;
    loop {
        let (start, end) = (lines.number(16)?, lines.number(16)?);
        let text = end_of_line(lines)?;
        if (start..end).contains(&top) {
            let is_named = text == u64::from_be_bytes(*b" [stack]");
            return Some((is_named.then_some(start), start != last));
        }
        last = end;
    }
}

/// Finds the contiguous grow-down mappings around `top`, and returns their low end. Returns `None` if the mapping that
/// contains `top` does not grow down, or if the kernel does not list the flags.
fn lowest_part(lines: &mut Lines, top: usize) -> Option<usize> {
    let (mut low, mut last) = (0, 0);
    loop {
        let (start, end) = (lines.number(16)?, lines.number(16)?);
        end_of_line(lines)?; // skip the path, which may contain any text
        let grows_down = has_flag_gd(lines)?;
        if start != last {
            low = start;
        }
        if (start..end).contains(&top) {
            return grows_down.then_some(low);
        }
        last = if grows_down { end } else { 0 };
    }
}

/// Reads the rest of the line and returns the line's last eight bytes.
fn end_of_line(lines: &mut Lines) -> Option<u64> {
    let mut text = 0;
    loop {
        match lines.byte()? {
            b'\n' => return Some(text),
            byte => text = text << 8 | u64::from(byte),
        }
    }
}

/// Reads up to the end of the `VmFlags:` line (a mapping's last), and returns whether the `gd` flag is set.
fn has_flag_gd(lines: &mut Lines) -> Option<bool> {
    let (mut text, mut in_flags, mut found) = (u64::from(b'\n'), false, false);
    loop {
        let byte = lines.byte()?;
        text = text << 8 | u64::from(byte);
        in_flags |= text == u64::from_be_bytes(*b"\nVmFlags");
        found |= in_flags && text as u32 & 0xff_ffff == u32::from_be_bytes(*b"\0 gd");
        if in_flags && byte == b'\n' {
            return Some(found);
        }
    }
}
