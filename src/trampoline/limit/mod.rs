//! How many slots there may be in all.

#[cfg(all(growing, not(loom)))]
#[path = "of_program.rs"]
mod bound;
#[cfg(not(all(growing, not(loom))))]
#[path = "none.rs"]
mod bound;

pub(crate) use bound::limit;

/// Sets how many slots there may be in all; what there is stays. Replaces what
/// `STATICTRAMP_LIMIT` in the environment says. 1,048,576 are the most in any case. Without the
/// feature `grow` the table never grows, and this does nothing.
///
/// The table doubles, and the last time it grows up to the limit. If a limit is raised when the table has reached it, the
/// next slots begin where that doubling would have ended: the numbers between are left out, and count for the limit.
///
/// The variable is read when the table grows for the first time, unless this was called before;
/// like every `getenv` that must not happen while another thread changes the environment
/// (`std::env::set_var` demands as much). A program with more rights than who has started it
/// (set-user-ID, set-group-ID, file capabilities) does not read it at all.
pub fn set_limit(slots: usize) {
    bound::set(slots);
}

/// Why the table is full, as the rest of a sentence: what stopped it from growing, or what to
/// do if it cannot.
#[doc(hidden)]
pub fn why_full() -> &'static str {
    bound::why_full()
}
