//! Memory: allocation, protection, and copies of memory that might be unreadable.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::{null_mut, with_exposed_provenance, with_exposed_provenance_mut};

const MEM_COMMIT: u32 = 0x1000;
const MEM_RESERVE: u32 = 0x2000;
const MEM_RELEASE: u32 = 0x8000;
const PAGE_READWRITE: u32 = 4;
const PAGE_WRITECOPY: u32 = 8;
const PAGE_EXECUTE_READ: u32 = 0x20;

/// `MEMORY_BASIC_INFORMATION` on 64-bit Windows.
#[repr(C)]
struct Information {
    start: usize,
    allocation: usize,
    first_protection: u32,
    partition: u16,
    len: usize,
    state: u32,
    protection: u32,
    kind: u32,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualAlloc(at: *mut c_void, len: usize, how: u32, protection: u32) -> *mut c_void;
    fn VirtualFree(start: *mut c_void, len: usize, how: u32) -> i32;
    fn VirtualQuery(at: *const c_void, to: *mut Information, len: usize) -> usize;
    #[cfg(growing)]
    fn ReadProcessMemory(
        process: super::Handle,
        at: *const c_void,
        to: *mut c_void,
        len: usize,
        read: *mut usize,
    ) -> i32;
}

/// Zeroed memory, which is freed when this value is dropped, unless `keep` is called.
pub(crate) struct Memory(usize);

impl Memory {
    pub(crate) fn zeroed(len: usize) -> Option<Self> {
        zeroed(len).map(|start| Memory(start.expose_provenance()))
    }

    pub(crate) fn start(&self) -> usize {
        self.0
    }

    /// Returns the address, and transfers ownership of the memory to the caller.
    pub(crate) fn keep(self) -> usize {
        let start = self.0;
        core::mem::forget(self);
        start
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: no other code knows the address of the memory.
        unsafe { free(with_exposed_provenance_mut(self.0)) };
    }
}

/// Allocates zeroed memory.
pub fn zeroed(len: usize) -> Option<*mut c_void> {
    // SAFETY: this allocates new memory at a free address.
    let start = unsafe { VirtualAlloc(null_mut(), len, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE) };
    (!start.is_null()).then_some(start)
}

/// Frees memory.
///
/// # Safety
/// `start` must come from `Memory::keep` or `zeroed`, and the memory must be unused.
pub unsafe fn free(start: *mut c_void) {
    // SAFETY: the caller upholds the safety contract.
    unsafe { VirtualFree(start, 0, MEM_RELEASE) };
}

/// Returns whether every page of this memory has one of these protections.
fn has_protection(start: usize, len: usize, wanted: &[u32]) -> bool {
    let Some(end) = start.checked_add(len) else { return false };
    let mut at = start;
    while at < end {
        let mut information = MaybeUninit::<Information>::zeroed();
        // SAFETY: the structure is writable, and all-zero bytes are a valid value for it.
        let information = unsafe {
            VirtualQuery(with_exposed_provenance(at), information.as_mut_ptr(), size_of::<Information>());
            information.assume_init()
        };
        if !wanted.contains(&information.protection) || information.len == 0 {
            return false;
        }
        at = information.start + information.len;
    }
    true
}

/// Returns whether this memory is readable and executable but not writable.
pub(crate) fn is_code(start: usize, len: usize) -> bool {
    has_protection(start, len, &[PAGE_EXECUTE_READ])
}

/// Returns whether this memory is readable and writable but not executable.
pub(crate) fn is_data(start: usize, len: usize) -> bool {
    has_protection(start, len, &[PAGE_READWRITE, PAGE_WRITECOPY])
}

/// Copies the bytes at an address, and returns the number of bytes copied, or 0 if any byte is unreadable. A direct
/// access would raise an exception if the contents of a mapped file had become unavailable, for example on a network
/// drive.
#[cfg(growing)]
pub(crate) fn read(address: usize, bytes: &mut [u8]) -> usize {
    let mut copied = 0;
    // SAFETY: `bytes` has room for `bytes.len()` bytes, and `copied` for a number. The kernel checks the memory at
    // `address`.
    let done = unsafe {
        ReadProcessMemory(
            super::THIS_PROCESS,
            with_exposed_provenance(address),
            bytes.as_mut_ptr().cast(),
            bytes.len(),
            &raw mut copied,
        )
    };
    if done != 0 { copied } else { 0 }
}
