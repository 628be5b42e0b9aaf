//! Growth on Linux: system calls and checks.
//!
//! The file to map must be the one that is already mapped: a check against the kernel's list of mappings rejects a
//! different file with the same name. The contents may have changed since the file was loaded, so the new mapping is
//! compared with the running code.

use super::same_code::{Compared, compare};
use crate::os::maps::{File, Mapping};
use crate::os::readable::Reader;
use crate::os::system;
use core::ptr::null_mut;

/// An obstacle to growth. Its text completes "the table cannot grow: ".
#[derive(Clone, Copy)]
pub(super) enum Obstacle {
    Maps,
    Rights,
    NoFile,
    File,
    Unreadable,
    Changed,
    ReadImpliesExec,
    Code,
    Memory,
}

pub(super) const OBSTACLES: [&str; 9] = [
    "/proc/self/maps, which names the file that this code came from, cannot be read",
    "the permissions of some pages of this code were changed",
    "this code is not mapped from a file",
    "the file that this code came from was deleted or replaced, or cannot be read",
    "this code cannot be read, so its file cannot be compared with it",
    "this code and the file that it came from differ: one of them was changed after the program was loaded",
    "readable memory is executable in this process (personality READ_IMPLIES_EXEC), so new slots would be executable, too",
    "the file that this code came from cannot be mapped as code a second time",
    "no memory is left, or the process cannot have more mappings",
];

/// Returns the size of a page in bytes.
pub(super) fn size() -> usize {
    system::getauxval(libc::AT_PAGESZ) as usize
}

/// Reserved memory, which is unmapped unless growth succeeds.
pub(super) struct Reserved {
    pub(super) start: usize,
    pub(super) len: usize,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // SAFETY: `reserve` mapped this memory, and no other code knows the address.
        unsafe { system::munmap(core::ptr::with_exposed_provenance_mut(self.start), self.len) };
    }
}

/// Reserves address space without access permissions.
#[inline(never)]
pub(super) fn reserve(len: usize) -> Result<Reserved, Obstacle> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: the call makes a new mapping at a free address.
    let start = unsafe { system::mmap(null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(Obstacle::Memory);
    }
    Ok(Reserved { start: start.expose_provenance(), len })
}

/// Replaces a part of reserved memory with a mapping.
#[inline(never)]
fn fill(at: usize, len: usize, rights: i32, file: Option<(&File, usize)>) -> bool {
    let (flags, descriptor, offset) = match file {
        Some((file, offset)) => (libc::MAP_PRIVATE, file.descriptor(), offset),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0),
    };
    let address = core::ptr::with_exposed_provenance_mut(at);
    // SAFETY: every caller passes pages within its own reserved memory.
    let mapped = unsafe {
        system::mmap(address, len, rights, flags | libc::MAP_FIXED, descriptor, offset as libc::off_t)
    };
    mapped != libc::MAP_FAILED
}

/// Replaces a part of reserved memory with zeroed memory.
#[inline(never)]
pub(super) fn put_zeroes(at: usize, len: usize) -> bool {
    fill(at, len, libc::PROT_READ | libc::PROT_WRITE, None)
}

/// Makes a part of reserved memory inaccessible again.
#[inline(never)]
pub(super) fn put_nothing(at: usize, len: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let address = core::ptr::with_exposed_provenance_mut(at);
    // SAFETY: the caller passes pages within its own reserved memory, without references to its previous contents.
    unsafe { system::mmap(address, len, libc::PROT_NONE, flags, -1, 0) != libc::MAP_FAILED }
}

/// Returns whether the process's address space is limited (`RLIMIT_AS`) or its limit is unknown.
///
/// Reads the limit from `/proc`, because growth reads `/proc` in any case, and a system-call filter might kill the
/// process for making any other system call.
#[cfg(target_pointer_width = "64")]
#[inline(never)]
pub(super) fn addresses_are_limited() -> bool {
    const UNLIMITED: &[u8] = b"Max address space         unlimited ";
    let mut text = [0u8; 2048];
    let mut len = 0;
    // SAFETY: the path is zero-terminated, the descriptor belongs to this function, and each call writes only to the
    // rest of `text`.
    unsafe {
        let file = system::open(c"/proc/self/limits".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return true;
        }
        while let Some(rest) = text.get_mut(len..).filter(|rest| !rest.is_empty()) {
            match system::read(file, rest.as_mut_ptr().cast(), rest.len()) {
                got @ 1.. => len += got as usize,
                _ => break,
            }
        }
        system::close(file);
    }
    !text.windows(UNLIMITED.len()).any(|window| window == UNLIMITED)
}

/// Returns true: in a 32-bit process, the address space is always limited.
#[cfg(not(target_pointer_width = "64"))]
pub(super) fn addresses_are_limited() -> bool {
    true
}

/// The pages that contain the stubs, and their offset in the file that they were mapped from.
pub(super) struct Code {
    file: File,
    offset: usize,
    at: usize,
    len: usize,
}

impl Code {
    /// Finds and opens the file that the code pages at an address are mapped from.
    #[inline(never)]
    pub(super) fn find(at: usize, len: usize) -> Result<Code, Obstacle> {
        let mut mapping = Mapping::NONE;
        if !mapping.find(at) {
            return Err(Obstacle::Maps);
        }
        if !mapping.is_of_a_file() {
            return Err(Obstacle::NoFile);
        }
        if !mapping.executable || mapping.end < at + len {
            return Err(Obstacle::Rights);
        }
        // `open` maps a page of a file to check it. If not even one page of address space is left, the lack of address
        // space is the obstacle.
        let without_file = || reserve(size()).err().unwrap_or(Obstacle::File);
        let opened = mapping.open().ok_or_else(without_file)?;
        if opened.read_implies_exec {
            return Err(Obstacle::ReadImpliesExec);
        }
        Ok(Code { file: opened.file, offset: mapping.offset_of(at), at, len })
    }

    /// Maps the code pages in place of a part of reserved memory.
    #[inline(never)]
    pub(super) fn put(&self, at: usize) -> bool {
        fill(at, self.len, libc::PROT_READ | libc::PROT_EXEC, Some((&self.file, self.offset)))
    }

    /// Checks that the pages mapped by `put` equal the running code, except for breakpoints in the running stubs.
    /// Checking one mapping is enough, because all mappings share the open file's pages. (The library cannot prevent
    /// later changes to the file from changing the new pages; on most file systems, such changes affect the running
    /// code's pages, too.)
    #[inline(never)]
    pub(super) fn check(&self, at: usize) -> Result<(), Obstacle> {
        let reader = Reader::new();
        match compare(self.at, at, self.len, |address, bytes| reader.read(address, bytes)) {
            Compared::Same => Ok(()),
            Compared::Different => Err(Obstacle::Changed),
            Compared::Unreadable => Err(Obstacle::Unreadable),
        }
    }
}
