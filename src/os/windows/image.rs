//! This image's file, opened and mapped again as an image.

use super::Handle;
use core::ffi::{c_char, c_void};
use core::ptr::{null, null_mut};

const GENERIC_READ: u32 = 0x8000_0000;
const GENERIC_EXECUTE: u32 = 0x2000_0000;
const FILE_SHARE_READ: u32 = 1;
const FILE_SHARE_DELETE: u32 = 4;
const OPEN_EXISTING: u32 = 3;
const PAGE_EXECUTE_READ: u32 = 0x20;
const SEC_IMAGE: u32 = 0x100_0000;
const FILE_MAP_READ: u32 = 4;
const FILE_MAP_EXECUTE: u32 = 0x20;
const INVALID_HANDLE_VALUE: usize = usize::MAX;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetModuleFileNameW(module: Handle, path: *mut u16, len: u32) -> u32;
    fn CreateFileW(
        path: *const u16,
        access: u32,
        share: u32,
        security: *const c_void,
        how: u32,
        flags: u32,
        template: Handle,
    ) -> Handle;
    fn CreateFileMappingW(
        file: Handle,
        security: *const c_void,
        protection: u32,
        high: u32,
        low: u32,
        name: *const u16,
    ) -> Handle;
    fn MapViewOfFile(mapping: Handle, access: u32, high: u32, low: u32, len: usize) -> *mut c_void;
    fn UnmapViewOfFile(start: *const c_void) -> i32;
    fn CloseHandle(handle: Handle) -> i32;
    fn GetModuleHandleA(name: *const c_char) -> Handle;
    fn GetProcAddress(module: Handle, name: *const c_char) -> Option<QueryVirtualMemory>;
}

/// The type of `NtQueryVirtualMemory` in ntdll. Every process loads ntdll, but linkers do not link it by default.
type QueryVirtualMemory =
    unsafe extern "system" fn(Handle, *const c_void, u32, *mut SectionName, usize, *mut usize) -> i32;
const MEMORY_MAPPED_FILENAME_INFORMATION: u32 = 2;

/// `MEMORY_SECTION_NAME`: a `UNICODE_STRING`, followed by the text that it refers to.
#[repr(C)]
struct SectionName {
    /// The length of the name in bytes.
    len: u16,
    room: u16,
    text: *const u16,
    /// Space for a path and for the device name that precedes it.
    name: [u16; LONGEST + 64],
}

impl SectionName {
    fn name(&self) -> Option<&[u16]> {
        self.name.get(..usize::from(self.len) / 2).filter(|name| !name.is_empty())
    }
}

/// Maximum length of a path, including the terminating zero.
const LONGEST: usize = 1024;

/// Returns the kernel's name for the file that is mapped at an address, including the device name.
/// (`GetMappedFileName` queries the same name, but fails if it has 260 or more characters.)
fn file_at(address: *const u8) -> Option<SectionName> {
    let mut name = SectionName { len: 0, room: 0, text: null(), name: [0; LONGEST + 64] };
    // SAFETY: the names are zero-terminated, and `NtQueryVirtualMemory` has this type. The function writes only within
    // the given size, and fails if no file is mapped at the address.
    let status = unsafe {
        let query =
            GetProcAddress(GetModuleHandleA(c"ntdll.dll".as_ptr()), c"NtQueryVirtualMemory".as_ptr())?;
        query(
            super::THIS_PROCESS,
            address.cast(),
            MEMORY_MAPPED_FILENAME_INFORMATION,
            &raw mut name,
            size_of::<SectionName>(),
            null_mut(),
        )
    };
    (status >= 0).then_some(name)
}

/// Returns whether a view maps the file from which this image was loaded. The path alone does not prove this: in a
/// thread that impersonates another user, the path may refer to a file that this user owns and could change after its
/// code has been compared.
pub(crate) fn is_of_this_file(view: &View) -> bool {
    let (Some(theirs), Some(ours)) =
        (file_at(core::ptr::with_exposed_provenance(view.start())), file_at(image()))
    else {
        return false;
    };
    theirs.name().is_some() && theirs.name() == ours.name()
}

/// Returns the address at which this image begins.
pub(crate) fn image() -> *const u8 {
    let start: *const u8;
    // SAFETY: this computes the address of a symbol that linkers define.
    unsafe {
        core::arch::asm!("lea {}, [rip + __ImageBase]", out(reg) start, options(pure, nomem, nostack, preserves_flags));
    }
    start
}

/// The file of this image, prepared for mapping.
pub(crate) struct ImageFile(Handle);

impl ImageFile {
    /// Opens the file of this image. Returns `None` if the file does not exist or the process may not map it.
    pub(crate) fn of_this() -> Option<Self> {
        let mut path = [0; LONGEST];
        // SAFETY: the buffer has room for `LONGEST` characters. A longer path is truncated and zero-terminated.
        let len = unsafe { GetModuleFileNameW(image().cast_mut().cast(), path.as_mut_ptr(), LONGEST as u32) };
        if len == 0 || len as usize >= LONGEST {
            return None;
        }
        // SAFETY: the path is zero-terminated, and the other pointers may be null.
        let file = unsafe {
            CreateFileW(
                path.as_ptr(),
                GENERIC_READ | GENERIC_EXECUTE,
                FILE_SHARE_READ | FILE_SHARE_DELETE,
                null(),
                OPEN_EXISTING,
                0,
                null_mut(),
            )
        };
        if file.addr() == INVALID_HANDLE_VALUE {
            return None;
        }
        // SAFETY: the handle belongs to this function, and the mapping keeps the file open even after the handle is
        // closed.
        let mapping = unsafe {
            let mapping = CreateFileMappingW(file, null(), PAGE_EXECUTE_READ | SEC_IMAGE, 0, 0, null());
            CloseHandle(file);
            mapping
        };
        (!mapping.is_null()).then_some(ImageFile(mapping))
    }

    /// Maps another view of the whole image.
    pub(crate) fn map(&self) -> Option<View> {
        // SAFETY: this makes a new mapping at a free address.
        let start = unsafe { MapViewOfFile(self.0, FILE_MAP_READ | FILE_MAP_EXECUTE, 0, 0, 0) };
        (!start.is_null()).then(|| View(start.expose_provenance()))
    }
}

impl Drop for ImageFile {
    fn drop(&mut self) {
        // SAFETY: only this object owns the handle, and views remain valid after it is closed.
        unsafe { CloseHandle(self.0) };
    }
}

/// A view of the file. The view is unmapped when dropped, unless `keep` is called.
pub(crate) struct View(usize);

impl View {
    pub(crate) fn start(&self) -> usize {
        self.0
    }

    /// Returns the address, and transfers ownership of the view to the caller.
    pub(crate) fn keep(self) -> usize {
        let start = self.0;
        core::mem::forget(self);
        start
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: no other code knows the address of the view.
        unsafe { unmap(self.0) };
    }
}

/// Unmaps a view.
///
/// # Safety
/// `start` must come from `View::keep`, and the view must no longer be in use.
pub(crate) unsafe fn unmap(start: usize) {
    // SAFETY: the caller upholds the safety contract.
    unsafe { UnmapViewOfFile(core::ptr::with_exposed_provenance(start)) };
}
