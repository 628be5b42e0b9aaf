//! What `kernel.rs` tells, of Windows.

use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::{null, without_provenance};
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_PRIVATE, MEM_RELEASE, MEM_RESERVE, MEMORY_BASIC_INFORMATION, PAGE_EXECUTE_READWRITE,
    PAGE_EXECUTE_WRITECOPY, VirtualAlloc, VirtualFree, VirtualQuery,
};
use windows_sys::Win32::System::SystemInformation::{GetSystemInfo, OSVERSIONINFOW, SYSTEM_INFO};

/// Nothing is refused.
pub struct Restriction;

impl Restriction {
    pub fn is_in_force(&self) -> bool {
        false
    }
}

impl fmt::Display for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not there: it is Linux's")
    }
}

/// Takes no rights away.
pub fn deny_writable_and_executable() -> Restriction {
    Restriction
}

/// Tries to allocate a page writable and executable.
pub fn probe(_: &Restriction) -> Result<&'static str, String> {
    // SAFETY: new memory of its own, which nothing else refers to.
    let got = unsafe {
        let page = VirtualAlloc(null(), page_size(), MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
        !page.is_null() && VirtualFree(page, 0, MEM_RELEASE) != 0
    };
    Ok(if got { "no: Windows gives W+X to whoever asks" } else { "a W+X page was tried and refused" })
}

/// Bytes of a page.
pub fn page_size() -> usize {
    let mut told = MaybeUninit::<SYSTEM_INFO>::zeroed();
    // SAFETY: all is written, and would be right as zeroes.
    unsafe {
        GetSystemInfo(told.as_mut_ptr());
        told.assume_init().dwPageSize as usize
    }
}

/// Name and version of the running system.
pub fn system() -> String {
    let mut told = OSVERSIONINFOW {
        dwOSVersionInfoSize: size_of::<OSVERSIONINFOW>() as u32,
        dwMajorVersion: 0,
        dwMinorVersion: 0,
        dwBuildNumber: 0,
        dwPlatformId: 0,
        szCSDVersion: [0; 128],
    };
    // SAFETY: a whole structure, which says how long it is.
    unsafe { RtlGetVersion(&mut told) };
    let OSVERSIONINFOW { dwMajorVersion: major, dwMinorVersion: minor, dwBuildNumber: build, .. } = told;
    format!("Windows {major}.{minor}.{build}, {}", std::env::consts::ARCH)
}

/// Why it is not said that no mapping is writable and executable.
pub enum Mappings {
    /// Some are, and may not be this program's.
    Unreadable(String),
    /// This one is.
    Both(String),
}

/// Looks at all memory of this process: an error names the first place of an image, or of a view of a file, that is writable and
/// executable. Other memory may belong to what watches over all programs, and is counted.
pub fn no_writable_and_executable_mapping() -> Result<String, Mappings> {
    let (mut at, mut count, mut others) = (0usize, 0, 0);
    while let Some(place) = place_at(at) {
        let Some(next) = at.checked_add(place.RegionSize).filter(|&next| next > at) else { break };
        // What is only reserved has no rights that are defined.
        if place.State == MEM_COMMIT {
            count += 1;
            let both = place.Protect & (PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY) != 0;
            if both && place.Type != MEM_PRIVATE {
                return Err(Mappings::Both(format!(
                    "a mapping is writable and executable: {at:#x}-{next:#x}"
                )));
            }
            others += usize::from(both);
        }
        at = next;
    }
    match others {
        0 => Ok(format!("none of {count}")),
        _ => Err(Mappings::Unreadable(format!("{others} of {count}, none of which is of a file"))),
    }
}

/// What is known of the memory at an address; nothing behind the last that a program may have.
fn place_at(address: usize) -> Option<MEMORY_BASIC_INFORMATION> {
    let mut told = MaybeUninit::<MEMORY_BASIC_INFORMATION>::zeroed();
    let len = size_of::<MEMORY_BASIC_INFORMATION>();
    // SAFETY: the address is asked about, not read; as many bytes may be written as there are.
    let known = unsafe { VirtualQuery(without_provenance(address), told.as_mut_ptr(), len) };
    // SAFETY: all was written.
    (known == len).then(|| unsafe { told.assume_init() })
}
