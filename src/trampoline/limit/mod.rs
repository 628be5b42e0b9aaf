//! The limit on the number of slots in the table.

#[cfg(all(growing, not(loom)))]
#[path = "of_program.rs"]
mod bound;
#[cfg(not(all(growing, not(loom))))]
#[path = "none.rs"]
mod bound;

pub(crate) use bound::limit;

/// Sets the limit on the number of slots. This limit replaces the value of `STATICTRAMP_LIMIT` in the environment.
/// Existing slots remain. The number of slots never exceeds 1,048,576. Without the feature `grow`, the table never
/// grows, and this function has no effect.
///
/// The table doubles each time it grows, except that the last step ends at the limit. If the limit cut the last
/// doubling short and is raised later, the slots that are missing from that doubling are never added, but still count
/// towards the new limit. The next slots are numbered as if that doubling had been complete.
///
/// The variable is read when the limit is needed for the first time, usually when the table is about to grow, unless
/// this function was called earlier. No other thread may change the environment while the variable is read.
/// (`std::env::set_var` has the same requirement.) In a set-user-ID or set-group-ID program, or in one with file
/// capabilities, the variable is ignored.
pub fn set_limit(slots: usize) {
    bound::set(slots);
}

/// Returns the last part of the message about a full table: the obstacle to further growth or, if the table cannot grow
/// at all, the remedy.
#[doc(hidden)]
pub fn why_full() -> &'static str {
    bound::why_full()
}
