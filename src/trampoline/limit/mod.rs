//! The limit on the number of slots.

#[cfg(all(growing, not(loom)))]
#[path = "of_program.rs"]
mod bound;
#[cfg(not(all(growing, not(loom))))]
#[path = "none.rs"]
mod bound;

pub(crate) use bound::limit;

/// Sets the limit on the number of slots, in place of the value of `STATICTRAMP_LIMIT` in the environment. Existing
/// slots remain. The number never exceeds 1,048,576. Without the feature `grow` the table never grows, and this does
/// nothing.
///
/// The table doubles each time; the last step grows it only up to the limit. If the limit is raised after the table has
/// reached it, the next slots begin where that doubling would have ended: the numbers in between are skipped, but count
/// towards the limit.
///
/// The variable is read when the table grows for the first time, unless this function was called before. No other
/// thread may change the environment at that time (`std::env::set_var` requires the same). A set-user-ID or
/// set-group-ID program, or one with file capabilities, does not read the variable at all.
pub fn set_limit(slots: usize) {
    bound::set(slots);
}

/// The reason why the table is full, for the end of a message: the obstacle to its growth, or the remedy if it cannot
/// grow.
#[doc(hidden)]
pub fn why_full() -> &'static str {
    bound::why_full()
}
