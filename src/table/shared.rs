//! Replaces `thread.rs` on systems where access to thread-local storage calls a system function. That function may
//! allocate memory, which is not allowed in a signal handler. All threads share a few shards. A shard contains only
//! hints, so several threads may share one (`src/tests/models/lists.rs`).

use super::{Dead, StaticTable};
use crate::pool::hosted::{Heads, Shard, Shards};

const BITS: u32 = 4;

/// A shard, aligned so that two shards never share a cache line.
#[repr(align(128))]
struct Own(Shard);

static SHARDS: [Own; 1 << BITS] = [const { Own(Shard::new()) }; 1 << BITS];

impl<D: Dead> Shards for StaticTable<D> {
    #[inline(always)]
    fn shard(&self) -> &Shard {
        // Fibonacci hashing is used, because the distances between thread identifiers are regular.
        let hash = (crate::arch::thread() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &SHARDS[(hash >> (u64::BITS - BITS)) as usize].0
    }

    #[inline(always)]
    fn heads(&self) -> &Heads {
        &super::HEADS
    }
}
