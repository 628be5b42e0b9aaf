//! The path of the program's own file (`/proc/self/exe`). Interposed functions return the path of the original, not that of
//! the copy in memory.

use crate::loading::{Path, program_in_memory};
use crate::next::functions;
use crate::sys::{read_link, read_link_at};
use core::ffi::{CStr, c_char, c_int};

/// If `path` is a link to the copy that this process runs, returns the original's path.
///
/// # Safety
/// `path` must be null or the address of a C string.
unsafe fn original(directory: c_int, path: *const c_char) -> Option<Path> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the caller guarantees that `path` is a C string.
    let path = unsafe { CStr::from_ptr(path) };
    if !path.to_bytes().ends_with(b"exe") {
        return None; // most paths
    }
    let (mut link, mut own) = ([0; 1000], [0; 1000]);
    let link_len = read_link_at(directory, path, &mut link);
    let own_len = read_link(c"/proc/self/exe", &mut own);
    if link[..link_len] != own[..own_len] {
        return None;
    }
    Path::of(&[program_in_memory(&own[..own_len])?])
}

/// Stores as many bytes of a path as fit into the buffer, and returns their number.
///
/// # Safety
/// The buffer must have room for `size` bytes.
unsafe fn store(path: &Path, buffer: *mut c_char, size: usize) -> isize {
    let len = path.bytes().len().min(size);
    // SAFETY: the caller guarantees that the buffer has room.
    unsafe { core::ptr::copy_nonoverlapping(path.bytes().as_ptr(), buffer.cast(), len) };
    len as isize
}

/// Defines replacements for libc functions. If the path refers to the copy, they return the result for the original.
macro_rules! paths {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty, $directory:expr, $link:ident,
        |$next:ident, $path:ident| $answer:expr;)*) => {
        functions! { $($name)* }

        $(
            /// Returns the result for the original if the path refers to the copy.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*) -> $result {
                // SAFETY: this is the function's type in the C library's headers. The program passes the arguments: a C string,
                // and a buffer of the given size.
                unsafe {
                    let $next: unsafe extern "C" fn($($type),*) -> $result =
                        FUNCTIONS[Number::$name as usize].function();
                    match original($directory, $link) {
                        Some($path) => $answer,
                        None => $next($($argument),*),
                    }
                }
            }
        )*
    };
}

#[rustfmt::skip]
paths! {
    readlink(link: *const c_char, buffer: *mut c_char, size: usize) -> isize,
        libc::AT_FDCWD, link, |next, path| store(&path, buffer, size);
    __readlink_chk(link: *const c_char, buffer: *mut c_char, size: usize, room: usize) -> isize,
        libc::AT_FDCWD, link, |next, path| store(&path, buffer, size.min(room));
    readlinkat(directory: c_int, link: *const c_char, buffer: *mut c_char, size: usize) -> isize,
        directory, link, |next, path| store(&path, buffer, size);
    __readlinkat_chk(directory: c_int, link: *const c_char, buffer: *mut c_char, size: usize, room: usize) -> isize,
        directory, link, |next, path| store(&path, buffer, size.min(room));
    realpath(link: *const c_char, buffer: *mut c_char) -> *mut c_char,
        libc::AT_FDCWD, link, |next, path| next(path.c_str().as_ptr(), buffer);
    __realpath_chk(link: *const c_char, buffer: *mut c_char, room: usize) -> *mut c_char,
        libc::AT_FDCWD, link, |next, path| next(path.c_str().as_ptr(), buffer, room);
    canonicalize_file_name(link: *const c_char) -> *mut c_char,
        libc::AT_FDCWD, link, |next, path| next(path.c_str().as_ptr());
}
