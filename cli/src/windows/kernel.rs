//! Queries to the Windows kernel: the counterpart of `../kernel.rs`.

use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::{null, without_provenance};
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_PRIVATE, MEM_RELEASE, MEM_RESERVE, MEMORY_BASIC_INFORMATION, PAGE_EXECUTE_READWRITE,
    PAGE_EXECUTE_WRITECOPY, VirtualAlloc, VirtualFree, VirtualQuery,
};
use windows_sys::Win32::System::SystemInformation::{GetSystemInfo, OSVERSIONINFOW, SYSTEM_INFO};

/// A placeholder for the PR_SET_MDWE restriction, which exists only on Linux.
pub struct Restriction;

impl Restriction {
    pub fn is_in_force(&self) -> bool {
        false
    }
}

impl fmt::Display for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not applicable: only Linux has this restriction")
    }
}

/// Does nothing, because PR_SET_MDWE exists only on Linux.
pub fn deny_writable_and_executable() -> Restriction {
    Restriction
}

/// Tries to allocate a writable and executable page.
pub fn probe(_: &Restriction) -> Result<&'static str, String> {
    // SAFETY: no other code uses the newly allocated memory.
    let got = unsafe {
        let page = VirtualAlloc(null(), page_size(), MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
        !page.is_null() && VirtualFree(page, 0, MEM_RELEASE) != 0
    };
    Ok(if got { "no: a W+X page was granted" } else { "an attempt to allocate a W+X page was denied" })
}

/// Returns the size of a page in bytes.
pub fn page_size() -> usize {
    let mut info = MaybeUninit::<SYSTEM_INFO>::zeroed();
    // SAFETY: the call fills the whole structure, for which zeroes are a valid value.
    unsafe {
        GetSystemInfo(info.as_mut_ptr());
        info.assume_init().dwPageSize as usize
    }
}

/// Returns the name and the version of the operating system.
pub fn system() -> String {
    let mut info = OSVERSIONINFOW {
        dwOSVersionInfoSize: size_of::<OSVERSIONINFOW>() as u32,
        dwMajorVersion: 0,
        dwMinorVersion: 0,
        dwBuildNumber: 0,
        dwPlatformId: 0,
        szCSDVersion: [0; 128],
    };
    // SAFETY: the structure is fully initialised, and its size field is set.
    unsafe { RtlGetVersion(&mut info) };
    let OSVERSIONINFOW { dwMajorVersion: major, dwMinorVersion: minor, dwBuildNumber: build, .. } = info;
    format!("Windows {major}.{minor}.{build}, {}", std::env::consts::ARCH)
}

/// The reasons why `no_writable_and_executable_mapping` fails.
pub enum Mappings {
    /// Some memory is both writable and executable, but it might not belong to this program.
    Unreadable(String),
    /// A mapping is both writable and executable. The string describes the mapping.
    Both(String),
}

/// Checks all memory of this process. The error names the first region of an image, or of a mapped file, that is
/// writable and executable. Other memory with these permissions may belong to software that monitors all programs, so
/// it is counted but not treated as an error.
pub fn no_writable_and_executable_mapping() -> Result<String, Mappings> {
    let (mut at, mut count, mut others) = (0usize, 0, 0);
    while let Some(region) = region_at(at) {
        let Some(next) = at.checked_add(region.RegionSize).filter(|&next| next > at) else { break };
        // Memory that is only reserved has no defined permissions.
        if region.State == MEM_COMMIT {
            count += 1;
            let both = region.Protect & (PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY) != 0;
            if both && region.Type != MEM_PRIVATE {
                return Err(Mappings::Both(format!(
                    "a mapping is writable and executable: {at:#x}-{next:#x}"
                )));
            }
            if both {
                others += 1;
            }
        }
        at = next;
    }
    match others {
        0 => Ok(format!("none of {count}")),
        _ => Err(Mappings::Unreadable(format!("{others} of {count}, none of them backed by a file"))),
    }
}

/// Returns the memory region that contains an address, or `None` if the address is above all user-space addresses.
fn region_at(address: usize) -> Option<MEMORY_BASIC_INFORMATION> {
    let mut info = MaybeUninit::<MEMORY_BASIC_INFORMATION>::zeroed();
    let len = size_of::<MEMORY_BASIC_INFORMATION>();
    // SAFETY: the address is only queried and not accessed, and `len` is the size of the buffer.
    let known = unsafe { VirtualQuery(without_provenance(address), info.as_mut_ptr(), len) };
    // SAFETY: the call has filled the whole structure.
    (known == len).then(|| unsafe { info.assume_init() })
}
