//! The storage of each thread's free lists, initially zero.
//!
//! On ELF systems, this storage is thread-local and uses the initial-exec model: one load yields the offset from the
//! thread pointer (ELF Handling for Thread-Local Storage, section 4.3.6). If the library is loaded after startup, the
//! storage comes from the space that libc reserves for such libraries.
//!
//! On macOS, access to thread-local storage calls a system function, which may allocate memory. That is not allowed in
//! a signal handler. All threads therefore share a few shards. A shard contains only hints, so several threads may
//! share one (`src/tests/models/lists.rs`).

use super::{Dead, StaticTable};
use crate::pool::hosted::{Heads, Shard, Shards};

#[cfg(not(any(windows, target_os = "macos")))]
core::arch::global_asm!(
    ".pushsection .tbss, \"awT\", %nobits",
    ".balign {align}",
    concat!(".hidden ", crate::arch::symbols::__symbol!("shard")),
    concat!(".globl ", crate::arch::symbols::__symbol!("shard")),
    concat!(".type ", crate::arch::symbols::__symbol!("shard"), ", %tls_object"),
    concat!(".size ", crate::arch::symbols::__symbol!("shard"), ", {size}"),
    concat!(crate::arch::symbols::__symbol!("shard"), ":"),
    ".skip {size}",
    ".popsection",
    align = const align_of::<Shard>(),
    size = const size_of::<Shard>(),
);

// On Windows each thread gets a copy of the `.tls$` section when the thread starts or, if the library is loaded later,
// at that time.
#[cfg(windows)]
core::arch::global_asm!(
    ".pushsection .tls$,\"dw\"",
    ".balign {align}",
    concat!(".globl ", crate::arch::symbols::__symbol!("shard")),
    concat!(crate::arch::symbols::__symbol!("shard"), ":"),
    ".skip {size}",
    ".popsection",
    align = const align_of::<Shard>(),
    size = const size_of::<Shard>(),
);

#[cfg(target_os = "macos")]
const BITS: u32 = 4;

/// A shard, aligned so that two shards never share a cache line.
#[cfg(target_os = "macos")]
#[repr(align(128))]
struct Own(Shard);

#[cfg(target_os = "macos")]
static SHARDS: [Own; 1 << BITS] = [const { Own(Shard::new()) }; 1 << BITS];

impl<D: Dead> Shards for StaticTable<D> {
    #[cfg(target_os = "macos")]
    #[inline(always)]
    fn shard(&self) -> &Shard {
        // Fibonacci hashing is used, because the distances between thread identifiers are regular.
        let hash = (crate::arch::thread() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &SHARDS[(hash >> (u64::BITS - BITS)) as usize].0
    }

    #[cfg(not(target_os = "macos"))]
    #[inline(always)]
    fn shard(&self) -> &Shard {
        let shard: *const Shard =
            core::ptr::with_exposed_provenance(crate::arch::address_of_thread!("shard"));
        // SAFETY: each thread has these bytes, aligned as above, as long as it runs. They are initially zero, and
        // zeroes are a valid shard. A shard consists of atomics, so a signal handler, or a thread that was created
        // with this thread's pointer, may use it concurrently. The reference is not kept after the pool's function
        // returns.
        unsafe { &*shard }
    }

    #[inline(always)]
    fn heads(&self) -> &Heads {
        &super::HEADS
    }

    #[inline(always)]
    fn has_barrier(&self) -> bool {
        cfg!(target_os = "linux")
    }

    #[inline(always)]
    fn is_small(&self) -> bool {
        crate::pool::SLOTS <= 1024
    }

    #[cfg(target_os = "linux")]
    fn barrier(&self) -> bool {
        crate::os::system::membarrier()
    }
}
