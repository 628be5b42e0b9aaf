//! Memory for decoders. Each thread's share is limited, and only one thread at a time may use more than a small amount.

use std::cell::Cell;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum memory in bytes for one thread's decoders. Nested packages need nested decoders. `xz -9` needs 66 MiB.
const MOST: u64 = 128 << 20;
/// The memory, in bytes, that each thread may use without holding [`LARGE`]. `xz -6` needs 10 MiB.
const ALWAYS: u64 = 16 << 20;

/// The lock held by the thread that uses more than `ALWAYS`.
static LARGE: Mutex<()> = Mutex::new(());

thread_local! {
    /// The memory of this thread's decoders.
    static HELD: Cell<u64> = const { Cell::new(0) };
}

/// Memory that a decoder may use until this value is dropped.
pub struct Room {
    bytes: u64,
    _alone: Option<MutexGuard<'static, ()>>,
}

impl Room {
    /// Reserves memory. If this thread would use more than `ALWAYS`, waits until no other thread does. A thread that
    /// holds the lock does not take it again, so it never waits for itself.
    ///
    /// # Errors
    /// Returns an error if the decoders of this thread would use more than the limit.
    pub fn take(bytes: u64) -> io::Result<Self> {
        let held = HELD.get();
        let wanted = held.saturating_add(bytes);
        if wanted > MOST {
            return Err(io::Error::other("its decompression needs too much memory"));
        }
        let is_large = held <= ALWAYS && wanted > ALWAYS;
        let alone = is_large.then(|| LARGE.lock().unwrap_or_else(PoisonError::into_inner));
        HELD.set(wanted);
        Ok(Room { bytes, _alone: alone })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        HELD.set(HELD.get().saturating_sub(self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::{ALWAYS, MOST, Room};

    #[test]
    fn nested_decoders_share_one_limit_and_do_not_wait_for_each_other() {
        let outer = Room::take(ALWAYS).ok().unwrap();
        let inner = Room::take(MOST - ALWAYS - 1).ok().unwrap();
        let last = Room::take(1).ok().unwrap();
        assert!(Room::take(1).is_err());
        drop((last, inner, outer));
        assert!(Room::take(MOST).is_ok() && Room::take(MOST + 1).is_err());
    }
}
