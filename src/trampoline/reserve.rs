//! Growth of the table before the slots are needed.

use super::errors::AllocError;
use super::global::POOL;
use super::limit::limit;
use crate::pool::SlotPool;

/// Grows the table until at least `slots` trampolines can be live at the same time. Afterwards the program may install
/// a system-call filter, even a filter that prevents growth. Slots remain until the process ends.
///
/// # Errors
/// [`AllocError::Full`] if `slots` exceeds the limit ([`set_limit`](crate::set_limit)), or if the table cannot grow,
/// for example without the feature `grow`, without an operating system, or for lack of memory. The table may then have
/// grown, but not far enough.
pub fn reserve(slots: usize) -> Result<(), AllocError> {
    loop {
        // The number of growths is read before the capacity, so that the table does not grow a second time if another
        // thread has just grown it.
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
