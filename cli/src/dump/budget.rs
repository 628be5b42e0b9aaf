//! Limits on the number of bytes read from a file.

use object::ReadRef;
use std::cell::Cell;
use std::ops::Range;

/// The number of bytes that may still be read.
pub struct Budget {
    pub granted: u64,
    left: Cell<u64>,
    /// Whether a read has exceeded the limit.
    pub exceeded: Cell<bool>,
}

impl Budget {
    pub fn of(granted: u64) -> Self {
        Budget { granted, left: Cell::new(granted), exceeded: Cell::new(false) }
    }

    pub fn spent(&self) -> u64 {
        self.granted - self.left.get()
    }
}

/// A file with a limit on the number of bytes read from it.
#[derive(Clone, Copy)]
pub struct Limited<'a, R> {
    pub data: R,
    pub budget: &'a Budget,
}

impl<'a, R: ReadRef<'a>> Limited<'a, R> {
    fn take(self, size: u64) -> Result<(), ()> {
        match self.budget.left.get().checked_sub(size) {
            Some(left) => self.budget.left.set(left),
            None => {
                self.budget.exceeded.set(true);
                return Err(());
            }
        }
        Ok(())
    }
}

impl<'a, R: ReadRef<'a>> ReadRef<'a> for Limited<'a, R> {
    fn len(self) -> Result<u64, ()> {
        self.data.len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        self.take(size)?;
        self.data.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        self.take(range.end.saturating_sub(range.start).min(1 << 12))?;
        self.data.read_bytes_at_until(range, delimiter)
    }
}
