//! Growth on macOS: mach_vm_remap maps the pages of the stubs a second time from memory, with the permissions and the
//! signature they were loaded with. (A mapping of the file would need a new signature.) The first and last of these
//! pages also contain other code, but the copy of that code never runs.
//!
//! None of these calls sets errno or is a cancellation point.

use core::ffi::c_int;

/// An obstacle to growth. Its text completes "the table cannot grow: ".
#[derive(Clone, Copy)]
pub(super) enum Obstacle {
    Code,
    Memory,
}

pub(super) const OBSTACLES: [&str; 2] = ["this code cannot be mapped a second time", "no memory is left"];

// Constants and declarations from mach/kern_return.h, mach/boolean.h, mach/mach_vm.h, mach/vm_statistics.h,
// mach/vm_prot.h, mach/vm_inherit.h, mach/mach_init.h and unistd.h.
const SUCCESS: c_int = 0;
const ANYWHERE: c_int = 1;
const FIXED: c_int = 0;
const OVERWRITE: c_int = 0x4000;
const READ: c_int = 1;
const WRITE: c_int = 2;
const EXECUTE: c_int = 4;
const INHERIT_SHARE: u32 = 0;
const FALSE: c_int = 0;
const TRUE: c_int = 1;

unsafe extern "C" {
    /// The port name for the process's own memory. The system library stores it before any of the program's code runs.
    static mach_task_self_: u32;
    safe fn getpagesize() -> c_int;
    fn mach_vm_allocate(task: u32, address: *mut u64, len: u64, flags: c_int) -> c_int;
    fn mach_vm_deallocate(task: u32, address: u64, len: u64) -> c_int;
    fn mach_vm_protect(task: u32, address: u64, len: u64, set_maximum: c_int, rights: c_int) -> c_int;
    fn mach_vm_remap(
        task: u32,
        address: *mut u64,
        len: u64,
        mask: u64,
        flags: c_int,
        source_task: u32,
        source: u64,
        copy: c_int,
        rights: *mut c_int,
        most_rights: *mut c_int,
        inheritance: u32,
    ) -> c_int;
}

fn task() -> u32 {
    // SAFETY: the port name never changes, except in a forked child before the child runs the program's code.
    unsafe { mach_task_self_ }
}

/// Returns the size of a page in bytes.
pub(super) fn size() -> usize {
    getpagesize() as usize
}

/// Reserved memory, which is freed unless growth succeeds.
pub(super) struct Reserved {
    pub(super) start: usize,
    pub(super) len: usize,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // SAFETY: `reserve` allocated this memory, and no other code knows the address.
        unsafe { mach_vm_deallocate(task(), self.start as u64, self.len as u64) };
    }
}

/// Reserves zeroed memory.
pub(super) fn reserve(len: usize) -> Result<Reserved, Obstacle> {
    let mut start = 0;
    // SAFETY: the call allocates new memory at a free address.
    if unsafe { mach_vm_allocate(task(), &raw mut start, len as u64, ANYWHERE) } != SUCCESS {
        return Err(Obstacle::Memory);
    }
    Ok(Reserved { start: start as usize, len })
}

/// Does nothing: reserved memory is already zeroed.
pub(super) fn put_zeroes(_at: usize, _len: usize) -> bool {
    true
}

/// The pages that contain the stubs.
pub(super) struct Code {
    at: usize,
    len: usize,
}

impl Code {
    /// Returns the pages at an address. Never fails.
    pub(super) fn find(at: usize, len: usize) -> Result<Code, Obstacle> {
        Ok(Code { at, len })
    }

    /// Maps the code pages over a part of the reserved memory. Returns false unless the mapped pages are executable and
    /// can never be made writable. The maximum protection that older linkers give to code includes write permission,
    /// which this function removes from the copy.
    pub(super) fn put(&self, at: usize) -> bool {
        let (mut address, len) = (at as u64, self.len as u64);
        let (mut rights, mut most) = (0, 0);
        // SAFETY: every caller passes pages within its own reserved memory, without references to its previous
        // contents. The resulting permissions are stored in variables.
        let result = unsafe {
            mach_vm_remap(
                task(),
                &raw mut address,
                len,
                0,
                FIXED | OVERWRITE,
                task(),
                self.at as u64,
                FALSE,
                &raw mut rights,
                &raw mut most,
                INHERIT_SHARE,
            )
        };
        if result != SUCCESS || address != at as u64 || rights & (READ | WRITE | EXECUTE) != READ | EXECUTE {
            return false;
        }
        if most & WRITE == 0 {
            return true;
        }
        // SAFETY: the call changes only the permissions of the copy.
        unsafe { mach_vm_protect(task(), address, len, TRUE, READ | EXECUTE) == SUCCESS }
    }

    /// Returns success: no file was opened, and both mappings share the same memory.
    pub(super) fn check(&self, _at: usize) -> Result<(), Obstacle> {
        Ok(())
    }
}
