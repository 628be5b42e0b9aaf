//! The limit on the table's size: the one that the program has set or, failing that, the one in the environment.

use crate::message::Message;
use crate::pool::hosted::MOST_SLOTS;
use crate::sync::{AtomicUsize, Relaxed};
use crate::table::why_not;

/// The maximum number of slots, or 0 until it is known. All accesses are Relaxed, because no other data depends on
/// the number.
static LIMIT: AtomicUsize = AtomicUsize::new(0);

pub(super) fn set(slots: usize) {
    LIMIT.store(slots.max(1), Relaxed);
}

pub(crate) fn limit() -> usize {
    match LIMIT.load(Relaxed) {
        0 => {
            let _ = LIMIT.compare_exchange(0, limit_of_environment().max(1), Relaxed, Relaxed);
            LIMIT.load(Relaxed)
        }
        limit => limit,
    }
}

pub(super) fn why_full() -> &'static str {
    why_not().unwrap_or(if limit() < MOST_SLOTS {
        "STATICTRAMP_LIMIT, or the program, allows no more"
    } else {
        "a table can have at most 1,048,576 slots"
    })
}

/// Returns the result of `f` for the text of `STATICTRAMP_LIMIT`, or `None` if the variable is not set or is ignored.
#[cfg(not(windows))]
fn of_environment(f: fn(&[u8]) -> usize) -> Option<usize> {
    use core::ffi::c_char;
    unsafe extern "C" {
        fn getenv(name: *const c_char) -> *const c_char;
        /// Returns whether the program is, or was, set-user-ID or set-group-ID.
        #[cfg(target_os = "macos")]
        safe fn issetugid() -> core::ffi::c_int;
    }
    // In a set-user-ID or similar program, the environment comes from a user who may have fewer privileges.
    #[cfg(target_os = "linux")]
    if crate::os::system::getauxval(libc::AT_SECURE) != 0 {
        return None;
    }
    #[cfg(target_os = "macos")]
    if issetugid() != 0 {
        return None;
    }
    // SAFETY: the name is zero-terminated. The result is null or a zero-terminated string, because `set_limit`
    // requires that no other thread changes the environment concurrently.
    let text = unsafe {
        let text = getenv(c"STATICTRAMP_LIMIT".as_ptr());
        if text.is_null() {
            return None;
        }
        core::ffi::CStr::from_ptr(text)
    };
    Some(f(text.to_bytes()))
}

#[cfg(windows)]
fn of_environment(f: fn(&[u8]) -> usize) -> Option<usize> {
    let mut text = [0; 64]; // a longer text cannot be a valid number
    crate::os::environment(c"STATICTRAMP_LIMIT", &mut text).map(f)
}

fn limit_of_environment() -> usize {
    of_environment(number).unwrap_or(usize::MAX)
}

fn number(text: &[u8]) -> usize {
    let number = text.iter().try_fold(0usize, |number, &byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| number.saturating_mul(10).saturating_add(digit.into()))
    });
    match number {
        Some(number) if !text.is_empty() => number,
        _ => {
            let text = "STATICTRAMP_LIMIT is not a whole number, so the table does not grow";
            Message::new(text).print();
            0
        }
    }
}
