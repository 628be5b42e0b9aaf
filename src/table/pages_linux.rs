//! What growth asks of Linux.
//!
//! The file is the one that is mapped already, as the kernel says, never just one of that name.

use crate::os::maps::{File, Mapping};
use crate::os::system;
use core::ptr::null_mut;

/// What stands in the way of a segment. Its text completes "the table cannot grow: ".
#[derive(Clone, Copy)]
pub(super) enum Obstacle {
    Maps,
    File,
    Code,
    Memory,
}

pub(super) const OBSTACLES: [&str; 4] = [
    "/proc/self/maps cannot be read, which tells what file this code came from",
    "the file that this code came from was deleted or replaced, or cannot be read",
    "that file may not be mapped as code a second time",
    "there is no memory left, or the process may have no more mappings",
];

/// Bytes of a page.
pub(super) fn size() -> usize {
    system::getauxval(libc::AT_PAGESZ) as usize
}

/// Memory that was asked for and is given back unless all goes well.
pub(super) struct Reserved {
    pub(super) start: usize,
    pub(super) len: usize,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // SAFETY: `reserve` mapped it, and nobody else knows it.
        unsafe { system::munmap(core::ptr::with_exposed_provenance_mut(self.start), self.len) };
    }
}

/// Address space without rights.
pub(super) fn reserve(len: usize) -> Result<Reserved, Obstacle> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, at an address that is free.
    let start = unsafe { system::mmap(null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(Obstacle::Memory);
    }
    Ok(Reserved { start: start.expose_provenance(), len })
}

/// Puts a mapping in the place of a part of reserved memory.
fn fill(at: usize, len: usize, rights: i32, file: Option<(&File, usize)>) -> bool {
    let (flags, descriptor, offset) = match file {
        Some((file, offset)) => (libc::MAP_PRIVATE, file.descriptor(), offset),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0),
    };
    let place = core::ptr::with_exposed_provenance_mut(at);
    // SAFETY: every caller passes pages inside of what it has reserved.
    let mapped = unsafe {
        system::mmap(place, len, rights, flags | libc::MAP_FIXED, descriptor, offset as libc::off_t)
    };
    mapped != libc::MAP_FAILED
}

/// Zeroed memory in the place of a part of what was reserved.
pub(super) fn put_zeroes(at: usize, len: usize) -> bool {
    fill(at, len, libc::PROT_READ | libc::PROT_WRITE, None)
}

/// The file of this library's code, and where in it the code's pages are.
///
/// It is the very file that the code runs from, so a copy is as good as the original, which
/// shares its pages. Nothing needs to be compared, and a breakpoint in a stub is no difference.
pub(super) struct Code {
    file: File,
    offset: usize,
    len: usize,
}

impl Code {
    /// Of the pages at an address.
    #[inline(never)]
    pub(super) fn find(at: usize, len: usize) -> Result<Code, Obstacle> {
        let mut mapping = Mapping::NONE;
        if !mapping.find(at) {
            return Err(Obstacle::Maps);
        }
        if !mapping.executable || mapping.end < at + len {
            return Err(Obstacle::File); // somebody has changed the rights of a part
        }
        let file = mapping.open().ok_or(Obstacle::File)?;
        Ok(Code { file, offset: mapping.offset_of(at), len })
    }

    /// The same pages in the place of a part of what was reserved.
    pub(super) fn put(&self, at: usize) -> bool {
        fill(at, self.len, libc::PROT_READ | libc::PROT_EXEC, Some((&self.file, self.offset)))
    }
}
