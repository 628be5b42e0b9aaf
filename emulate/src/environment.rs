//! A list of environment variables, as programs receive it.

use core::ffi::{CStr, c_char};

/// The value of a variable, given with its equals sign.
///
/// # Safety
/// `environment` must be a list of C strings that ends with null.
pub unsafe fn variable(mut environment: *const *const c_char, name: &[u8]) -> Option<&'static [u8]> {
    loop {
        // SAFETY: the list has not ended yet.
        let entry = unsafe { *environment };
        if entry.is_null() {
            return None;
        }
        // SAFETY: a C string, which the program may change only after the constructors.
        if let Some(value) = unsafe { CStr::from_ptr(entry) }.to_bytes().strip_prefix(name) {
            return Some(value);
        }
        // SAFETY: the null at the end of the list comes later.
        environment = unsafe { environment.add(1) };
    }
}
