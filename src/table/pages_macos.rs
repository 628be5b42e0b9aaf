//! What growth asks of macOS: mach_vm_remap, which maps the pages of the stubs once more from where they lie, with their
//! rights and the signature that they were loaded with. (A mapping of the file would have to be signed anew.) What else lies
//! in the first and the last page is code, and nobody runs the copy of it.
//!
//! None of these calls sets errno or can be cancelled.

use core::ffi::c_int;

/// What stands in the way of a segment. Its text completes "the table cannot grow: ".
#[derive(Clone, Copy)]
pub(super) enum Obstacle {
    Code,
    Memory,
}

pub(super) const OBSTACLES: [&str; 2] =
    ["the code may not be mapped a second time", "there is no memory left for it"];

// mach/mach_vm.h, mach/vm_statistics.h, mach/vm_prot.h, mach/vm_inherit.h, mach/mach_init.h
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
    /// The number by which the process names its own memory, which the system's library has stored before any code of
    /// the program runs.
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
    // SAFETY: a number that never changes, but in the child of a `fork`, before that runs code of the program.
    unsafe { mach_task_self_ }
}

/// Bytes of a page.
pub(super) fn size() -> usize {
    getpagesize() as usize
}

/// Memory that was asked for and is given back unless all goes well.
pub(super) struct Reserved {
    pub(super) start: usize,
    pub(super) len: usize,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // SAFETY: `reserve` allocated it, and nobody else knows it.
        unsafe { mach_vm_deallocate(task(), self.start as u64, self.len as u64) };
    }
}

/// Zeroed memory.
pub(super) fn reserve(len: usize) -> Result<Reserved, Obstacle> {
    let mut start = 0;
    // SAFETY: new memory, at an address that is free.
    if unsafe { mach_vm_allocate(task(), &raw mut start, len as u64, ANYWHERE) } != SUCCESS {
        return Err(Obstacle::Memory);
    }
    Ok(Reserved { start: start as usize, len })
}

/// What was reserved is zeroed already.
pub(super) fn put_zeroes(_at: usize, _len: usize) -> bool {
    true
}

/// The pages of this library's code.
pub(super) struct Code {
    at: usize,
    len: usize,
}

impl Code {
    /// The pages at an address.
    pub(super) fn find(at: usize, len: usize) -> Result<Code, Obstacle> {
        Ok(Code { at, len })
    }

    /// The same pages in the place of a part of what was reserved. False unless they can be executed there, and never be
    /// written: older linkers let whoever asks make code writable, and then that right is taken from the copy.
    pub(super) fn put(&self, at: usize) -> bool {
        let (mut place, len) = (at as u64, self.len as u64);
        let (mut rights, mut most) = (0, 0);
        // SAFETY: every caller passes pages inside of what it has reserved, and nobody has a reference to what lay there;
        // both rights go to variables.
        let said = unsafe {
            mach_vm_remap(
                task(),
                &raw mut place,
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
        if said != SUCCESS || place != at as u64 || rights & (READ | WRITE | EXECUTE) != READ | EXECUTE {
            return false;
        }
        if most & WRITE == 0 {
            return true;
        }
        // SAFETY: the rights of the copy alone.
        unsafe { mach_vm_protect(task(), place, len, TRUE, READ | EXECUTE) == SUCCESS }
    }

    /// Whether that is the running code. It is: no file was opened, both are the same memory.
    pub(super) fn check(&self, _at: usize) -> Result<(), Obstacle> {
        Ok(())
    }
}
