//! Mappings of a process.

use crate::image::maps::hexadecimal;

/// A line of `/proc/PID/maps`.
#[derive(Clone, Debug)]
pub struct Mapping {
    pub start: u64,
    pub end: u64,
    pub readable: bool,
    pub writable: bool,
    pub executable: bool,
    pub path: Vec<u8>,
}

/// Parses a line of the form `start-end permissions offset device inode path`.
pub fn mapping(line: &[u8]) -> Option<Mapping> {
    let mut words = line.splitn(6, |&byte| byte == b' ');
    let (range, rights) = (words.next()?, words.next()?);
    let mut ends = range.splitn(2, |&byte| byte == b'-');
    let (start, end) = (hexadecimal(ends.next()?)?, hexadecimal(ends.next()?)?);
    let right = |at: usize, letter: u8| rights.get(at) == Some(&letter);
    Some(Mapping {
        start,
        end,
        readable: right(0, b'r'),
        writable: right(1, b'w'),
        executable: right(2, b'x'),
        path: words.nth(3).unwrap_or_default().trim_ascii_start().to_vec(),
    })
}
