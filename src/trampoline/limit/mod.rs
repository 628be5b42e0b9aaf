//! The limit of the number of slots.

#[cfg(all(growing, not(loom)))]
#[path = "of_program.rs"]
mod bound;
#[cfg(not(all(growing, not(loom))))]
#[path = "none.rs"]
mod bound;

pub(crate) use bound::limit;

/// Sets the limit of the number of slots; existing slots stay. Replaces the value of `STATICTRAMP_LIMIT` in the environment. The
/// number never exceeds 1,048,576. Without the feature `grow` the table never grows, and this does nothing.
///
/// The table doubles; the last time it grows up to the limit. If the limit is raised after the table has reached it, the next
/// slots begin where that doubling would have ended: the numbers between are skipped, and count towards the limit.
///
/// The variable is read when the table grows for the first time, unless this function was called before. No other
/// thread may change the environment at that time (`std::env::set_var` demands as much). A set-user-ID or set-group-ID
/// program, or one with file capabilities, does not read it at all.
pub fn set_limit(slots: usize) {
    bound::set(slots);
}

/// The reason why the table is full, to end a message with: the obstacle to its growth, or the remedy if it cannot
/// grow.
#[doc(hidden)]
pub fn why_full() -> &'static str {
    bound::why_full()
}
