//! Copying memory that might be unreadable, with the help of the kernel: a direct read beyond the end of a truncated
//! mapped file would raise SIGBUS and terminate the process.

use super::system;
use core::ffi::c_int;
use core::ptr::with_exposed_provenance;

/// An async-signal-safe reader that copies memory through a pipe or, failing that, with `process_vm_readv`.
pub(crate) struct Reader {
    /// The read end and the write end. Both are -1 if the system could not create a pipe.
    ends: [c_int; 2],
}

impl Reader {
    pub(crate) fn new() -> Self {
        let mut ends = [-1; 2];
        // SAFETY: the array has room for two descriptors, which are written only if the call succeeds.
        unsafe { system::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) };
        Reader { ends }
    }

    /// Copies the readable bytes at any address, and returns how many were copied. `bytes` must be at most 4,096 bytes
    /// long, so that it fits into any pipe.
    #[inline(never)]
    pub(crate) fn read(&self, address: usize, bytes: &mut [u8]) -> usize {
        let [from, to] = self.ends;
        // SAFETY: the kernel checks the memory at `address`. `read` reads as many bytes as `write` wrote, and this
        // number is at most the length of `bytes`.
        let mut got = unsafe {
            match system::write(to, with_exposed_provenance(address), bytes.len()) {
                1.. => system::read(from, bytes.as_mut_ptr().cast(), bytes.len()),
                _ => -1,
            }
        };
        if got < 0 {
            let ours = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
            let there = libc::iovec {
                iov_base: core::ptr::with_exposed_provenance_mut(address),
                iov_len: bytes.len(),
            };
            // SAFETY: `bytes` is writable, and the kernel checks the memory at `address`.
            got = unsafe { system::process_vm_readv(system::getpid(), &raw const ours, &raw const there) };
        }
        usize::try_from(got).unwrap_or(0)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        for end in self.ends {
            if end >= 0 {
                // SAFETY: the descriptor is open, and only this object owns it.
                unsafe { system::close(end) };
            }
        }
    }
}
