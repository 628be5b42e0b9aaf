//! The interface to the dynamic linker, rtld-audit(7). Before the linker opens a file, it asks this library for the
//! path.

use super::IN_MEMORY;
use super::copy::{Kind, Path, cleared};
use super::search::{Original, by_origin};
use crate::module::LinkMap;
use crate::sys::{self, read_link};
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_long, c_uint};

/// Data used by only one thread at a time: the thread that holds the dynamic linker's lock.
pub struct Linker<T>(UnsafeCell<T>);
// SAFETY: the dynamic linker holds its lock whenever it calls a function of this file, and no other code uses the data.
unsafe impl<T> Sync for Linker<T> {}

impl<T> Linker<T> {
    pub const fn new(value: T) -> Self {
        Linker(UnsafeCell::new(value))
    }
}

/// The latest answer: the path that this library returned to the dynamic linker, and the path that the linker had asked
/// for.
struct Answer {
    given: Path,
    wanted: Path,
}

static ANSWER: Linker<Answer> = Linker::new(Answer { given: Path::EMPTY, wanted: Path::EMPTY });

/// LA_SER_ORIG: the name has the form in which the program or a library gave it.
const AS_GIVEN: c_uint = 1;

/// Returns the version of the interface to the dynamic linker.
#[unsafe(no_mangle)]
extern "C" fn la_version(version: c_uint) -> c_uint {
    version
}

/// Returns the path to open instead of `name`. Either the object that `cookie` identifies needs `name`, or the linker found
/// `name` on a search path.
///
/// # Safety
/// Only the dynamic linker may call this function. It must hold its lock, and pass a C string and the address of a
/// cookie.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objsearch(name: *const c_char, cookie: *mut usize, flag: c_uint) -> *mut c_char {
    // SAFETY: the C string exists until the call returns, and only this thread uses the answer.
    let (text, answer) = unsafe { (CStr::from_ptr(name), &mut *ANSWER.0.get()) };
    let mut wanted = text.to_bytes();
    let found;
    if !wanted.contains(&b'/') || wanted.starts_with(b"$") {
        // SAFETY: the cookie contains the word that `la_objopen` stored there, or the address of the link map.
        let original = unsafe { original(*cookie) };
        match original.and_then(|original| by_origin(original, wanted)) {
            Some(path) => found = path,
            None => return name.cast_mut(),
        }
        wanted = found.bytes();
    }
    // This is the path of a library in the program's directory. The copy of the program is not in any directory, so the
    // linker would not find the library.
    let wanted = wanted.strip_prefix(IN_MEMORY).unwrap_or(wanted);
    let Some(path) = Path::of(&[wanted]) else { return name.cast_mut() };
    answer.wanted = path;
    // A name that was found on a search path remains the library's name. Otherwise the linker records the path that this
    // function returns, and `la_objopen` overwrites this path with the original's.
    let length = if flag == AS_GIVEN { wanted.len() } else { 0 };
    answer.given = cleared(path.c_str(), Kind::Library(length)).unwrap_or(path);
    answer.given.c_str().as_ptr().cast_mut()
}

/// Returns the `Original` whose address the word contains, or `None` if the word contains no such address.
///
/// # Safety
/// The word must be 0, the address of a link map, or the marked address of an `Original`.
unsafe fn original(word: usize) -> Option<&'static Original> {
    // SAFETY: as above; `la_objopen` marks the addresses of originals in the lowest bit.
    (word & 1 != 0).then(|| unsafe { &*core::ptr::with_exposed_provenance::<Original>(word & !1) })
}

/// Records the path of the original if the file that the dynamic linker has just loaded is a copy. Returns 0, so that the
/// linker does not report calls between files.
///
/// # Safety
/// Only the dynamic linker may call this function. It must hold its lock, and pass its record of the file and the
/// address of a cookie.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objopen(map: *mut LinkMap, namespace: c_long, cookie: *mut usize) -> c_uint {
    // SAFETY: as above.
    let (map, answer) = unsafe { (&mut *map, &*ANSWER.0.get()) };
    if namespace != 0 || map.name.is_null() {
        return 0;
    }
    // SAFETY: the record's name is a C string.
    let name = unsafe { CStr::from_ptr(map.name) }.to_bytes();
    let mut path = Path::EMPTY;
    if name.is_empty() {
        // This file is the program.
        let mut link = [0; 1000];
        let len = read_link(c"/proc/self/exe", &mut link);
        let Some(name) = program(&link[..len]) else { return 0 };
        if path.add(name).is_none() {
            return 0;
        }
    } else if name.starts_with(b"/proc/self/fd/") && name == answer.given.bytes() {
        path = answer.wanted;
        if path.bytes().len() <= name.len() {
            // SAFETY: the linker has allocated memory for the name, the original's path is not longer, and no other
            // code has seen the name yet.
            unsafe {
                core::ptr::copy_nonoverlapping(path.c_str().as_ptr(), map.name, path.bytes().len() + 1);
            }
        }
    } else {
        return 0;
    }
    let memory = sys::map(size_of::<Original>(), None).cast::<Original>();
    if !memory.is_null() {
        // SAFETY: the memory is new, large enough and page-aligned. The linker provides the cookie for this library.
        unsafe {
            memory.write(Original { path, map });
            *cookie = memory.expose_provenance() | 1;
        }
    }
    0
}

/// Extracts the path of the original from the path of a program in memory: "/memfd:PATH (deleted)".
pub fn program(link: &[u8]) -> Option<&[u8]> {
    link.strip_prefix(IN_MEMORY)?.strip_suffix(b" (deleted)").filter(|path| path.starts_with(b"/"))
}
