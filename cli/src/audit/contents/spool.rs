//! The bytes of a package member: in memory or, beyond a limit, in a temporary file.

use crate::audit::input::Bytes;
use crate::audit::system;
use std::fs::File;
use std::io::{self, Read, Write};

/// Maximum number of bytes that are kept in memory.
const IN_MEMORY: usize = 4 << 20;
const STEP: usize = 1 << 16;

pub struct Spool {
    memory: Vec<u8>,
    /// A temporary file that holds the bytes not in `memory`. The file is deleted when this value is dropped.
    file: Option<File>,
    len: u64,
}

impl Spool {
    /// Creates a spool for a member that begins with `head`.
    pub fn new(head: &[u8]) -> Self {
        Spool { memory: head.to_vec(), file: None, len: head.len() as u64 }
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    /// Reads the rest of a member. Returns false if the member is longer than `most` bytes.
    pub fn fill(&mut self, reader: &mut impl Read, most: u64) -> io::Result<bool> {
        let mut piece = vec![0; STEP];
        loop {
            let read = match reader.read(&mut piece) {
                Ok(0) => return Ok(true),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.len += read as u64;
            if self.len > most {
                return Ok(false);
            }
            let bytes = piece.get(..read).unwrap_or_default();
            match &mut self.file {
                Some(file) => file.write_all(bytes)?,
                None if self.memory.len() + read <= IN_MEMORY => self.memory.extend(bytes),
                None => self.file.insert(tempfile::tempfile()?).write_all(bytes)?,
            }
        }
    }
}

impl Bytes for Spool {
    fn fill(&self, at: u64, into: &mut [u8]) -> Result<(), ()> {
        let in_memory = self.memory.len() as u64;
        let first = in_memory.saturating_sub(at).min(into.len() as u64) as usize;
        let (head, rest) = into.split_at_mut_checked(first).ok_or(())?;
        if !head.is_empty() {
            Bytes::fill(self.memory.as_slice(), at, head)?;
        }
        let mut done = 0;
        while let Some(left) = rest.get_mut(done..).filter(|left| !left.is_empty()) {
            let from = (at + first as u64).checked_sub(in_memory).ok_or(())? + done as u64;
            match system::read_at(self.file.as_ref().ok_or(())?, left, from) {
                Ok(0) => return Err(()),
                Ok(more) => done += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(()),
            }
        }
        Ok(())
    }
}
