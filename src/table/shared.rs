//! In place of `thread.rs` where the storage of each thread takes a call of the system, which a signal handler must not
//! make: a few shards for all threads. What a shard says is advice, so any number of threads may have one
//! (`src/tests/models/lists.rs`).

use super::{Dead, StaticTable};
use crate::pool::hosted::{Shard, Shards};

const BITS: u32 = 4;

/// Shards of two threads share no cache line.
#[repr(align(128))]
struct Own(Shard);

static SHARDS: [Own; 1 << BITS] = [const { Own(Shard::new()) }; 1 << BITS];

impl<D: Dead> Shards for StaticTable<D> {
    #[inline(always)]
    fn shard(&self) -> &Shard {
        // Fibonacci hashing: what tells threads apart lies at regular distances.
        let hash = (crate::arch::thread() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &SHARDS[(hash >> (u64::BITS - BITS)) as usize].0
    }
}
