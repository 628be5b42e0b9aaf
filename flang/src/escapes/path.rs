//! Paths from a value to an address: each step but the last leads through memory.

use super::owner::Offset;

/// Bytes of an address.
const ADDRESS: i64 = 8;

/// The path from a pointer that is some bytes further back.
pub fn further(path: &[Offset], back: Offset) -> Vec<Offset> {
    let mut path = path.to_vec();
    path[1] = path[1].zip(back).and_then(|(at, back)| at.checked_add(back));
    path
}

/// The path from what lies in a range of bytes, if any of it lies there; where the range is not known, anything does.
pub fn within(path: &[Offset], bytes: Option<(i64, i64)>) -> Option<Vec<Offset>> {
    let Some((at, (start, end))) = path[0].zip(bytes) else {
        return Some(unknown(path));
    };
    if at >= end || at.saturating_add(ADDRESS) <= start {
        return None;
    }
    let mut path = path.to_vec();
    let whole = start <= at && at + ADDRESS <= end;
    path[0] = whole.then(|| at - start); // else a part of an address
    Some(path)
}

/// The path from somewhere in a value.
pub fn unknown(path: &[Offset]) -> Vec<Offset> {
    let mut path = path.to_vec();
    path[0] = None;
    path
}
