//! Memory that another process may change concurrently. Two reads may return different bytes, so a value is read once,
//! and the same copy is checked and used.

use std::io;

/// Memory that can be read by address.
pub trait Source {
    /// Fills `bytes` with the memory at an address.
    fn read(&self, address: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// Returns a copy of the memory at an address, if it is readable.
    fn copy(&self, address: u64, len: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.read(address, &mut bytes).ok().map(|()| bytes)
    }
}

/// Returns the 8-byte number at an offset, if the slice contains all of its bytes.
pub fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Returns the 4-byte number at an offset, if the slice contains all of its bytes.
pub fn half(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes).into())
}
