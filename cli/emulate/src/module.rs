//! The loaded file that contains an address, found without locks: the dynamic linker's `_dl_find_object` (glibc 2.35).

use crate::next::Next;
use crate::sys::copy_all;
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// glibc's `struct dl_find_object`.
#[repr(C)]
pub struct Found {
    flags: u64,
    /// The lowest mapped address, where the ELF header is.
    pub start: usize,
    pub end: usize,
    map: *const LinkMap,
    eh_frame: *const c_void,
    reserved: [u64; 8],
}

/// The public part of glibc's `struct link_map`.
#[repr(C)]
pub struct LinkMap {
    /// Difference between the addresses in memory and those in the file.
    pub base: usize,
    pub name: *mut core::ffi::c_char,
    pub dynamic: *const Dynamic,
    next: *const LinkMap,
}

/// An entry of a file's dynamic section.
#[repr(C)]
pub struct Dynamic {
    pub tag: isize,
    pub value: usize,
}

impl Found {
    pub fn map(&self) -> Option<&'static LinkMap> {
        // SAFETY: the pointer is null or points to the dynamic linker's record of a loaded file.
        unsafe { self.map.as_ref() }
    }
}

pub static FIND: Next = Next::new(c"_dl_find_object");

/// Returns the loaded file that contains an address. Async-signal-safe after the constructor has run.
pub fn of(address: usize) -> Option<Found> {
    if FIND.address() == 0 {
        return None;
    }
    // SAFETY: this is the function's type in glibc's <dlfcn.h>.
    let find: unsafe extern "C" fn(usize, *mut Found) -> c_int = unsafe { FIND.function() };
    let mut found = MaybeUninit::<Found>::zeroed();
    // SAFETY: the structure is large enough, and all-zero bytes are a valid value of it.
    unsafe { (find(address, found.as_mut_ptr()) == 0).then(|| found.assume_init()) }
}

/// The results for files that have been examined. Each result is the file's start address, which is page-aligned, plus
/// 1 if the file is marked as having landing pads. If a file is loaded at the start address of an earlier file, it gets
/// the earlier file's result.
static ANSWERS: [AtomicUsize; 64] = [const { AtomicUsize::new(0) }; 64];

/// Returns whether the file that contains this address is marked as having landing pads (the property IBT). The mark
/// promises that every function that is called through a pointer begins with a landing pad.
pub fn promises_landing_pads(address: usize) -> bool {
    let Some(file) = of(address) else { return false };
    let cached = &ANSWERS[file.start / 4096 % ANSWERS.len()];
    // Relaxed: no other data depends on this word.
    let answer = cached.load(Relaxed);
    if answer & !1 == file.start {
        return answer & 1 != 0;
    }
    let promises = has_ibt_property(file.start);
    cached.store(file.start | usize::from(promises), Relaxed);
    promises
}

const PT_GNU_PROPERTY: u32 = 0x6474_e553;
const GNU_PROPERTY_X86_FEATURE_1_AND: u32 = 0xc000_0002;
const IBT: u32 = 1;

/// Returns whether a file that is mapped at `start` has the property IBT. Reads its program headers and its property note
/// without system calls, because a sandbox may forbid them.
fn has_ibt_property(start: usize) -> bool {
    let mut header = [0u8; 64];
    if !copy_all(start, &mut header) || !header.starts_with(b"\x7fELF\x02") {
        return false;
    }
    let word = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default()) as usize
    };
    let half = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
    let (at, count) = (word(&header, 32), usize::from(u16::from_le_bytes([header[56], header[57]])));
    // In position-independent files, addresses begin at 0. In other files, addresses are absolute.
    let base = if header[16] == 3 { start } else { 0 };
    for number in 0..count.min(64) {
        let mut segment = [0u8; 56];
        if !copy_all(start.wrapping_add(at).wrapping_add(56 * number), &mut segment) {
            return false;
        }
        if half(&segment, 0) != PT_GNU_PROPERTY {
            continue;
        }
        let mut note = [0u8; 256];
        let len = word(&segment, 40).min(note.len());
        if !copy_all(base.wrapping_add(word(&segment, 16)), &mut note[..len]) {
            return false;
        }
        // A 16-byte header with the name "GNU" is followed by properties. Each consists of type, length and data, padded to
        // 8 bytes.
        let mut at = 16;
        while at + 12 <= len {
            let (kind, size) = (half(&note, at), half(&note, at + 4) as usize);
            if kind == GNU_PROPERTY_X86_FEATURE_1_AND {
                return half(&note, at + 8) & IBT != 0;
            }
            at += 8 + size.min(256).next_multiple_of(8);
        }
    }
    false
}
