//! Lists of environment variables: the list that a program receives, and the program's own.

use core::ffi::{CStr, c_char};

/// Returns the value of an environment variable. `name` ends with an equals sign.
///
/// # Safety
/// `environment` must be a list of C strings that ends with null.
pub unsafe fn variable(mut environment: *const *const c_char, name: &[u8]) -> Option<&'static [u8]> {
    loop {
        // SAFETY: the end of the list has not been reached.
        let entry = unsafe { *environment };
        if entry.is_null() {
            return None;
        }
        // SAFETY: the caller guarantees that the entry is a C string. The program does not change it before the
        // constructors have run, or while it executes another program.
        if let Some(value) = unsafe { CStr::from_ptr(entry) }.to_bytes().strip_prefix(name) {
            return Some(value);
        }
        // SAFETY: the null that ends the list has not been reached.
        environment = unsafe { environment.add(1) };
    }
}

unsafe extern "C" {
    static mut environ: *const *const c_char;
}

/// Returns the program's own environment. The result may be null.
pub fn own() -> *const *const c_char {
    // SAFETY: the C library defines this variable. The program does not change it concurrently.
    unsafe { (&raw const environ).read() }
}
