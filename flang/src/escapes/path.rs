//! Paths from a value to an address. Every step except the last loads a pointer from memory.

use super::owner::Offset;

/// Size of an address in bytes.
const ADDRESS: i64 = 8;

/// Converts a path that starts at a pointer into one that starts `back` bytes below that pointer.
pub fn further(path: &[Offset], back: Offset) -> Vec<Offset> {
    let mut path = path.to_vec();
    path[1] = path[1].zip(back).and_then(|(at, back)| at.checked_add(back));
    path
}

/// Returns the path that remains if only `bytes` of the original value are used, or `None` if they do not overlap the
/// address on the path. Bytes at an unknown offset may contain anything.
pub fn within(path: &[Offset], bytes: Option<(i64, i64)>) -> Option<Vec<Offset>> {
    let Some((at, (start, end))) = path[0].zip(bytes) else {
        return Some(unknown(path));
    };
    if at >= end || at.saturating_add(ADDRESS) <= start {
        return None;
    }
    let mut path = path.to_vec();
    let whole = start <= at && at + ADDRESS <= end;
    path[0] = whole.then(|| at - start); // otherwise, the bytes contain only part of an address
    Some(path)
}

/// Returns the path with an unknown first offset.
pub fn unknown(path: &[Offset]) -> Vec<Offset> {
    let mut path = path.to_vec();
    path[0] = None;
    path
}
