//! The limit on the number of slots in the table, and growth before the slots are needed.

use super::errors::AllocError;
use super::global::POOL;
use crate::pool::SlotPool;

#[cfg(not(all(growing, not(loom))))]
use fixed as bound;
#[cfg(all(growing, not(loom)))]
use of_program as bound;

pub(crate) use bound::limit;

/// Sets the limit on the number of slots, overriding `STATICTRAMP_LIMIT` in the environment. Existing slots remain. The
/// number of slots never exceeds 1,048,576. Without the `grow` feature, the table never grows, and this function has no
/// effect.
///
/// The table doubles each time it grows, up to the limit. If the limit cuts a doubling short, the missing slots are
/// never added, even if the limit is raised later. They still count towards the limit, because the next slots are
/// numbered as if that doubling had been complete.
///
/// Unless this function was called earlier, the variable is read when the limit is first needed, usually when the table
/// is about to grow. No other thread may change the environment at that moment; `std::env::set_var` has the same
/// requirement. Set-user-ID and set-group-ID programs, and programs with file capabilities, ignore the variable.
pub fn set_limit(slots: usize) {
    bound::set(slots);
}

/// Returns the last part of the message about a full table: the obstacle to further growth or, if the table cannot grow
/// at all, the remedy.
#[doc(hidden)]
pub fn why_full() -> &'static str {
    bound::why_full()
}

/// Grows the table until at least `slots` trampolines can be live at the same time. Call this function, for example,
/// before the program installs a system-call filter that prevents growth. Added slots remain until the process ends.
///
/// # Errors
/// [`AllocError::Full`] if `slots` exceeds the limit ([`set_limit`](crate::set_limit)), or if the table cannot grow,
/// for example without the `grow` feature, without an operating system, or for lack of memory. The table may then have
/// grown, but not far enough.
pub fn reserve(slots: usize) -> Result<(), AllocError> {
    loop {
        // The growth count is read before the capacity, so that the table does not grow twice if another thread has
        // just grown it.
        let added = POOL.added();
        if POOL.capacity() >= slots {
            return Ok(());
        }
        let limit = limit();
        if slots > most(limit) || !POOL.grow(added, limit) {
            return Err(AllocError::Full);
        }
    }
}

/// Returns the number of slots that the table can have under this limit.
fn most(limit: usize) -> usize {
    #[cfg(growing)]
    return limit.min(crate::pool::hosted::MOST_SLOTS);
    #[cfg(not(growing))]
    limit
}

/// The limit for a table that does not grow. (Models pass their own limit.)
#[cfg(not(all(growing, not(loom))))]
mod fixed {
    pub(super) fn set(_slots: usize) {}

    pub(crate) fn limit() -> usize {
        0
    }

    pub(super) fn why_full() -> &'static str {
        if cfg!(all(feature = "__slot-extra", not(target_os = "none"))) {
            return "this copy was built without growth"; // libstatictramp appends the remedy
        }
        // The remedy for a Rust program.
        if cfg!(all(feature = "std", any(target_os = "linux", target_os = "macos", windows), not(portable))) {
            "enable statictramp's `grow` feature, or build with a larger STATICTRAMP_SLOTS, which [env] in \
             .cargo/config.toml sets"
        } else if cfg!(all(target_arch = "arm", not(target_has_atomic = "ptr"))) {
            "build with a larger STATICTRAMP_SLOTS, and make trampolines only in privileged code outside the non-maskable \
             interrupt"
        } else if cfg!(feature = "alloc") {
            "build with a larger STATICTRAMP_SLOTS, which [env] in .cargo/config.toml sets"
        } else {
            "build with a larger STATICTRAMP_SLOTS"
        }
    }
}

/// The limit on the table's size. It is set by the program or, if the program sets none, by the environment.
#[cfg(all(growing, not(loom)))]
mod of_program {
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

    /// Returns the result of `f` for the text of `STATICTRAMP_LIMIT`, or `None` if the variable is not set or is
    /// ignored.
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
}
