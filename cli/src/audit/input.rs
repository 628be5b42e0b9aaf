//! Limits on the bytes that are read, in proportion to a file's length.

use object::read::ReadRef;
use std::cell::Cell;
use std::ops::Range;

/// A part of a file. The bytes read from it are limited in proportion to the file's length: a few bytes can state that
/// there are many pieces, each as long as the file, and a sparse file can have any length.
#[derive(Clone, Copy)]
pub struct Part<'l, R> {
    data: R,
    start: u64,
    len: u64,
    /// The number of bytes that may still be read from the whole file; 0 if the limit was exceeded.
    left: &'l Cell<u64>,
}

/// The number of bytes that may be read from a file of this length. Tables of names are read several times.
pub fn may_be_read(len: u64) -> u64 {
    (len.saturating_mul(8) + (1 << 20)).min(1 << 31)
}

impl<'data, 'l, R: ReadRef<'data>> Part<'l, R> {
    /// The whole file; `left` contains the number of bytes that may be read.
    pub fn whole(data: R, len: u64, left: &'l Cell<u64>) -> Self {
        Part { data, start: 0, len, left }
    }

    /// A part of this part.
    pub fn part(self, start: u64, len: u64) -> Option<Self> {
        let end = start.checked_add(len)?;
        (end <= self.len).then(|| Part { start: self.start + start, len, ..self })
    }

    /// Whether the limit was exceeded.
    pub fn is_spent(self) -> bool {
        self.left.get() == 0
    }

    fn spend(self, bytes: u64) -> Result<(), ()> {
        let left = self.left.get().saturating_sub(bytes);
        self.left.set(left);
        if left > 0 { Ok(()) } else { Err(()) }
    }

    /// The reason why a part could not be read.
    pub fn why_unreadable(self) -> String {
        match self.left.get() {
            0 => "it claims more contents than it can have, or is too large".into(),
            _ => "a part of it is beyond its end, or cannot be read".into(),
        }
    }
}

impl<'data, R: ReadRef<'data>> ReadRef<'data> for Part<'_, R> {
    fn len(self) -> Result<u64, ()> {
        Ok(self.len)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'data [u8], ()> {
        let part = self.part(offset, size).ok_or(())?;
        self.spend(size)?;
        self.data.read_bytes_at(part.start, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'data [u8], ()> {
        let len = range.end.checked_sub(range.start).ok_or(())?;
        let part = self.part(range.start, len).ok_or(())?;
        self.spend(1)?;
        let bytes = self.data.read_bytes_at_until(part.start..part.start + len, delimiter)?;
        self.spend(bytes.len() as u64)?;
        Ok(bytes)
    }
}
