//! The storage of each thread: its free lists, zero at first.
//!
//! Initial-exec, the model of one load from the thread pointer (ELF Handling for Thread-Local Storage, section 4.3.6). A
//! library that is loaded later takes these bytes from the room that the C library keeps for such libraries.

use super::{Dead, StaticTable};
use crate::arch::address_of_thread;
use crate::pool::hosted::{Shard, Shards};
use core::arch::global_asm;

#[cfg(not(windows))]
global_asm!(
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

// On Windows a section `.tls$` is what each thread gets a copy of when it begins, or when a library is loaded later.
#[cfg(windows)]
global_asm!(
    ".pushsection .tls$,\"dw\"",
    ".balign {align}",
    concat!(".globl ", crate::arch::symbols::__symbol!("shard")),
    concat!(crate::arch::symbols::__symbol!("shard"), ":"),
    ".skip {size}",
    ".popsection",
    align = const align_of::<Shard>(),
    size = const size_of::<Shard>(),
);

impl<D: Dead> Shards for StaticTable<D> {
    #[inline(always)]
    fn shard(&self) -> &Shard {
        let shard: *const Shard = core::ptr::with_exposed_provenance(address_of_thread!("shard"));
        // SAFETY: so many bytes are there for each thread as long as it runs, aligned as above; they were zeroes at first,
        // which are a shard; it consists of atomics, so a signal handler may use it meanwhile, or a thread that has taken this
        // one's thread pointer. The reference is not kept: the pool's functions end with it.
        unsafe { &*shard }
    }
}
