//! Programs that the emulated program executes. If the file of such a program requests an executable stack, a copy of
//! the file runs. The file itself runs, on an executable stack, if it cannot be replaced by a copy, if the new program
//! would not load this library, or if `posix_spawn` first changes the directory or closes the copy. This code may run
//! in the child of a `vfork`.

use crate::environment::{self, variable};
use crate::loading::{Kind, Path, cleared, program_in_memory};
use crate::module;
use crate::sys::{self, read_all, read_link};
use core::ffi::{CStr, c_char};

/// The paths of file descriptors in `/proc`. The paths are static because they must outlive the call that returns one
/// of them.
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

/// Returns the address of a copy's path if the copy must be executed in place of a program. Returns `address` if the
/// program itself must be executed.
///
/// # Safety
/// The environment must be null or a list of C strings that ends with null. `address` must be 0 or the address of a C
/// string.
pub unsafe fn program(
    address: usize,
    searched: bool,
    environment: *const *const c_char,
    actions: usize,
) -> usize {
    // SAFETY: as above.
    if address == 0 || !unsafe { loads_this_library(environment) } || leave_or_close(actions) {
        return address;
    }
    // SAFETY: the contract of these functions requires the program to pass a C string.
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
    let Some(copy) = absolute(path)
        .filter(|path| sys::may_be_executed(path.c_str()))
        .and_then(|path| cleared(path.c_str(), Kind::Program))
    else {
        return address;
    };
    let number =
        copy.bytes()[PREFIX.len()..].iter().fold(0, |number, &digit| number * 10 + usize::from(digit - b'0'));
    PATHS.get(number).map_or(address, |path| path.as_ptr().expose_provenance())
}

/// Returns whether a program with this environment preloads this library.
///
/// # Safety
/// The environment must be null or a list of C strings that ends with null.
unsafe fn loads_this_library(environment: *const *const c_char) -> bool {
    let own = (restore_name as *const ()).addr();
    let Some(map) = module::of(own).and_then(|found| found.map()) else { return false };
    if environment.is_null() || map.name.is_null() {
        return false;
    }
    // SAFETY: the name in the dynamic linker's record is a C string.
    let own = unsafe { CStr::from_ptr(map.name) }.to_bytes();
    // SAFETY: the caller guarantees that the list is valid.
    let libraries = unsafe { variable(environment, b"LD_PRELOAD=") };
    libraries.is_some_and(|all| all.split(|byte| b": ".contains(byte)).any(|library| library == own))
}

/// Returns whether file actions of `posix_spawn` change the working directory, or close all descriptors from a given
/// number upwards. The program's path may be relative to the working directory, and the copy's descriptor may be
/// among those that are closed.
fn leave_or_close(actions: usize) -> bool {
    const CHANGES: core::ops::RangeInclusive<u8> = 3..=5; // chdir, fchdir, closefrom
    // glibc's structure: the numbers of actions allocated and used, and the address of the actions.
    let mut header = [0; 16];
    if actions == 0 || !read_all(actions, &mut header) {
        return false;
    }
    let [.., a, b, c, d, _, _, _, _, _, _, _, _] = header;
    let [_, _, _, _, _, _, _, _, list @ ..] = header;
    let used = u32::from_le_bytes([a, b, c, d]) as usize;
    (0..used).any(|number| {
        const SIZE: usize = 32;
        let mut action = [0; 1];
        let at = usize::from_le_bytes(list).wrapping_add(number.wrapping_mul(SIZE));
        !read_all(at, &mut action) || CHANGES.contains(&action[0])
    })
}

/// Returns the absolute form of a path. If the path is relative, the result begins with the working directory. The name
/// of the copy must contain the original's absolute path.
fn absolute(path: &CStr) -> Option<Path> {
    if path.to_bytes().starts_with(b"/") {
        return Path::of(&[path.to_bytes()]);
    }
    let mut directory = [0; 512];
    let len = read_link(c"/proc/self/cwd", &mut directory);
    Path::of(&[&directory[..len], b"/", path.to_bytes()])
}

/// Searches PATH, and returns the first executable file with this name.
fn search(name: &[u8]) -> Option<Path> {
    let environment = environment::own();
    // SAFETY: the program's environment is null or a list of C strings that ends with null.
    let path = if environment.is_null() { None } else { unsafe { variable(environment, b"PATH=") } };
    path.unwrap_or(b"/bin:/usr/bin").split(|&byte| byte == b':').find_map(|directory| {
        let directory: &[u8] = if directory.is_empty() { b"." } else { directory };
        let file = Path::of(&[directory, b"/", name])?;
        sys::may_be_executed(file.c_str()).then_some(file)
    })
}

/// If this process runs a copy of a program, sets the process name to the name of the original program.
pub fn restore_name() {
    let mut link = [0; 1000];
    let len = read_link(c"/proc/self/exe", &mut link);
    let Some(path) = program_in_memory(&link[..len]) else { return };
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    if let Some(name) = Path::of(&[&name[..name.len().min(15)]]) {
        sys::set_name(name.c_str());
    }
}
