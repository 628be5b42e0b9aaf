//! Words of code, and ranges of bytes around given offsets.

use std::ops::Range;

/// Returns the 32-bit word at an offset.
pub fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|word| u32::from_le_bytes(*word))
}

/// Returns the words at intervals of `step` bytes in `range`, each with its offset.
pub fn words(bytes: &[u8], range: Range<usize>, step: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
    range.step_by(step).map_while(|at| Some((at, word(bytes, at)?)))
}

/// Returns the ranges that extend `reach` bytes before and after each offset, in ascending order, with overlapping
/// ranges merged. The ranges begin at multiples of 4.
pub fn joined(positions: impl Iterator<Item = usize>, len: usize, reach: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for position in positions {
        let (start, end) = (position.saturating_sub(reach) & !3, (position + reach).min(len));
        match ranges.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges
}
