//! Memory that somebody else may change while it is read: what is read twice may differ, so everything is read once and the
//! copy is looked at.

use std::io;

/// Memory by addresses.
pub trait Source {
    /// Fills `bytes` from an address.
    fn read(&self, address: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// A copy of some bytes, if they can be read.
    fn copy(&self, address: u64, len: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.read(address, &mut bytes).ok().map(|()| bytes)
    }
}

/// The number of 8 bytes at a place, if there are as many.
pub fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The number of 4 bytes.
pub fn half(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes).into())
}
