//! Programs that the program executes: if the file requests an executable stack, a copy runs. Safe after `vfork`.

use crate::loading::{Path, cleared, program_in_memory};
use crate::next::Next;
use crate::sys::{self, read_link};
use core::ffi::{CStr, c_char};

/// The paths of the descriptors' files, which must outlive the call of the function that gets one.
static PATHS: [[u8; 20]; 2048] = paths();

const PREFIX: &[u8] = b"/proc/self/fd/";

const fn paths() -> [[u8; 20]; 2048] {
    let mut all = [[0; 20]; 2048];
    let mut number = 0;
    while number < all.len() {
        let mut at = 0;
        while at < PREFIX.len() {
            all[number][at] = PREFIX[at];
            at += 1;
        }
        let mut unit = 1000;
        while unit > 0 {
            if number >= unit || unit == 1 {
                all[number][at] = b'0' + (number / unit % 10) as u8;
                at += 1;
            }
            unit /= 10;
        }
        number += 1;
    }
    all
}

/// The address of the path that replaces that of a program to execute; the same address if the program itself can run.
pub fn program(address: usize, searched: bool) -> usize {
    if address == 0 {
        return address;
    }
    // SAFETY: the program passes a C string, as the contract of these functions says.
    let path = unsafe { CStr::from_ptr(core::ptr::with_exposed_provenance::<c_char>(address)) };
    let found;
    let path = if searched && !path.to_bytes().contains(&b'/') {
        match search(path.to_bytes()) {
            Some(path) => {
                found = path;
                found.c_str()
            }
            None => return address,
        }
    } else {
        path
    };
    let Some(copy) = absolute(path).and_then(|path| cleared(path.c_str(), 0)) else { return address };
    let number =
        copy.bytes()[PREFIX.len()..].iter().fold(0, |number, &digit| number * 10 + usize::from(digit - b'0'));
    PATHS.get(number).map_or(address, |path| path.as_ptr().expose_provenance())
}

/// The path with the working directory before it, because the copy's name must tell where the original is.
fn absolute(path: &CStr) -> Option<Path> {
    if path.to_bytes().starts_with(b"/") {
        return Path::of(&[path.to_bytes()]);
    }
    let mut directory = [0; 512];
    let len = read_link(c"/proc/self/cwd", &mut directory);
    Path::of(&[&directory[..len], b"/", path.to_bytes()])
}

/// The first file of this name on PATH that may be executed.
fn search(name: &[u8]) -> Option<Path> {
    static GETENV: Next = Next::new(c"getenv");
    // SAFETY: the function's type in <stdlib.h>.
    let getenv: unsafe extern "C" fn(*const c_char) -> *const c_char = unsafe { GETENV.function() };
    // SAFETY: a C string.
    let path = unsafe { getenv(c"PATH".as_ptr()) };
    // SAFETY: the environment's string, which the program does not change concurrently.
    let path = if path.is_null() { c"/bin:/usr/bin" } else { unsafe { CStr::from_ptr(path) } };
    path.to_bytes().split(|&byte| byte == b':').find_map(|directory| {
        let directory: &[u8] = if directory.is_empty() { b"." } else { directory };
        let file = Path::of(&[directory, b"/", name])?;
        sys::may_be_executed(file.c_str()).then_some(file)
    })
}

/// Gives the process the name of the program, of which a copy runs.
pub fn restore_name() {
    let mut link = [0; 1000];
    let len = read_link(c"/proc/self/exe", &mut link);
    let Some(path) = program_in_memory(&link[..len]) else { return };
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    if let Some(name) = Path::of(&[&name[..name.len().min(15)]]) {
        sys::set_name(name.c_str());
    }
}

/// The target of a symbolic link: for the process's own program, the original, not the copy.
///
/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn readlink(path: *const c_char, buffer: *mut c_char, size: usize) -> isize {
    static NEXT: Next = Next::new(c"readlink");
    // SAFETY: the function's type in <unistd.h>.
    let next: unsafe extern "C" fn(*const c_char, *mut c_char, usize) -> isize = unsafe { NEXT.function() };
    // SAFETY: the caller's own arguments.
    let len = unsafe { next(path, buffer, size) };
    if len <= 0 {
        return len;
    }
    let mut link = [0; 1000];
    let full = read_link(c"/proc/self/exe", &mut link);
    // SAFETY: the function has stored so many bytes.
    let stored = unsafe { core::slice::from_raw_parts_mut(buffer.cast::<u8>(), len as usize) };
    match program_in_memory(&link[..full]) {
        Some(original) if stored.len() > 7 && link[..full].starts_with(stored) => {
            // The link is that of a copy, "/memfd:" and a path.
            let len = original.len().min(size);
            // SAFETY: the buffer has room for `size` bytes.
            unsafe { core::ptr::copy_nonoverlapping(original.as_ptr(), buffer.cast(), len) };
            len as isize
        }
        _ => len,
    }
}
