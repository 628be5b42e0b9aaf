//! This program's pool, assembled from a pool type and the program's table and dead procedure.

use crate::pool::Pool;

#[cfg(portable)]
pub(crate) use linked::dead_procedure;
#[cfg(not(loom))]
pub(crate) use linked::{Diagnosed, POOL};

#[cfg(not(loom))]
mod linked {
    use super::Pool;
    use crate::pool::SlotPool;
    use crate::table::{Dead, StaticTable};

    pub(crate) static POOL: Pool<StaticTable<Diagnosed>> = Pool::new(StaticTable::new());

    // Two copies of the crate with the same minor version would have two pools but only one table. Each copy defines
    // this symbol, next to its pool, so the linker rejects the second copy. No image exports the symbol.
    #[cfg(all(stubs, not(windows), not(target_os = "macos")))]
    core::arch::global_asm!(
        ".pushsection .rodata.statictramp_pool, \"a\", %progbits",
        concat!(".hidden ", crate::arch::symbols::__symbol!("pool")),
        concat!(".globl ", crate::arch::symbols::__symbol!("pool")),
        concat!(crate::arch::symbols::__symbol!("pool"), ":"),
        ".popsection",
    );
    #[cfg(all(stubs, any(windows, target_os = "macos")))]
    core::arch::global_asm!(
        ".data",
        concat!(".globl ", crate::arch::symbols::__symbol!("pool")),
        concat!(crate::arch::symbols::__symbol!("pool"), ":"),
        ".byte 0",
        ".text",
    );

    crate::arch::dead_procedure!(diagnose);

    /// Reports a dead call. [`dead_procedure`] calls this function with the chain that the stub loaded.
    #[cfg(any(not(target_os = "none"), portable))]
    extern "C" fn diagnose(record: usize) -> ! {
        crate::diagnosis::dead_call::dead_call(POOL.former_callee(record), core::ptr::null());
        crate::message::abort()
    }

    /// Reports a dead call, like the function above. Also receives the caller's return address, and returns the slot's
    /// number so that a register contains it when [`dead_procedure`] traps.
    #[cfg(all(target_os = "none", not(portable)))]
    extern "C" fn diagnose(record: usize, return_address: *const ()) -> usize {
        crate::diagnosis::dead_call::dead_call(POOL.former_callee(record), return_address)
    }

    /// This program's dead procedure, which diagnoses calls through freed trampolines.
    pub(crate) struct Diagnosed;

    impl Dead for Diagnosed {
        #[inline(always)]
        fn procedure() -> *const () {
            dead_procedure as *const ()
        }
    }
}

#[cfg(loom)]
loom::lazy_static! {
    pub(crate) static ref POOL: Pool<crate::pool::fake::OwnTable> = Pool::new(crate::pool::fake::OwnTable::new());
}

/// Size in bytes of the pool itself. Stubs, slots, shards and the shared list heads are not part of the pool.
pub(crate) const BOOKKEEPING: usize = if cfg!(loom) { 0 } else { size_of::<Pool<Table>>() };

#[cfg(not(loom))]
type Table = crate::table::StaticTable<Diagnosed>;
#[cfg(loom)]
type Table = crate::pool::fake::OwnTable;

// For tables of the default size or larger, the bookkeeping takes at most one byte per slot, plus 64 bytes.
#[cfg(not(any(loom, compact)))]
static_assertions::const_assert!(crate::pool::SLOTS < 1024 || BOOKKEEPING <= crate::pool::SLOTS + 64);
