//! Trampolines that never need memory to be writable and executable.
//!
//! A closure or a nested function must be handed to code that takes a plain function
//! pointer. The pointer then has to carry a context. Compilers write a small piece of code
//! at run time for that, which hardened hosts refuse. Here the code is there from the
//! start: a table of stubs in `.text`, each of which reads its own slot in a writable table.
//!
//! ```text
//!   caller --> stub i  (.text, never writable)
//!                 |        chain  <- slot[i].chain      into the static-chain register
//!                 '------> jump to slot[i].callee
//!                          (.tramp_data, never executable)
//! ```
//!
//! ```
//! use core::ffi::{c_int, c_void};
//!
//! let keys = [5u8, 3, 9, 1]; // which qsort knows nothing of
//! let mut order = [0u8, 1, 2, 3];
//! let compare = |a: *const c_void, b: *const c_void| -> c_int {
//!     // SAFETY: qsort passes pointers to two elements of `order`.
//!     let (a, b) = unsafe { (*a.cast::<u8>(), *b.cast::<u8>()) };
//!     keys[a as usize].cmp(&keys[b as usize]) as c_int
//! };
//! let callback = statictramp::bind(&compare)?;
//! // SAFETY: 4 elements of a byte; the callback outlives the call.
//! unsafe { libc::qsort(order.as_mut_ptr().cast(), 4, 1, Some(callback.as_fn())) };
//! assert_eq!(order, [3, 1, 0, 2]);
//! # Ok::<(), statictramp::AllocError>(())
//! ```
//!
//! - [`guide::choosing`]: which form of closure, and for how long;
//! - [`guide::safety`]: the contract of a call, and what is caught when it is broken;
//! - [`Trampoline`]: the level below, for those who have a callee that expects its context in
//!   the static-chain register: runtimes, compilers.
//!
//! Making and freeing is lock-free, never allocates, makes no system call but to grow the table,
//! and may be done in a signal handler or an interrupt. On processors without an exchange (Armv6-M, RISC-V without A) making is a critical
//! section, and must not be done in an interrupt that none keeps away; Armv6-M's non-maskable one is refused it, by
//! [`AllocError::Full`].
//!
//! # Features
//! | feature | |
//! |---|---|
//! | `std` (default) | the program has std; implies `alloc` |
//! | `alloc` | [`boxed`], [`leaked`] |
//! | `grow` | the table doubles when it is full, by mapping its code again from its file (Linux); [`set_limit`] and the variable `STATICTRAMP_LIMIT` bound it. What was added stays until the process ends |
//! | `scratch` | for the C library: where the table is full and cannot grow, flang's code may have a trampoline on its own stack |
//! | `trace` | a hook that is told of what is made and freed |
//! | `hardened` | refuses at compile time whatever could ever make memory writable and executable |
//!
//! # Under loom
//! With `--cfg loom` the crate compiles with loom's atomics and a table of 4 slots without
//! code. Function pointers cannot be called there, but [`Callback::call`] does what the stub
//! does, so that a program which uses this crate can be modelled; `examples/model.rs` does.
//!
//! # Build-time choices
//! | variable | values | meaning |
//! |---|---|---|
//! | `STATICTRAMP_SLOTS` | 1 to 1,048,576 (65,536 on boards of 32 bits); default 1024 | how many trampolines can live at once |
//! | `STATICTRAMP_REUSE` | `same-callee` (default), `strict` | whether a freed slot may serve its own procedure again at once |
//! | `STATICTRAMP_LANDING_PADS` | `1` (default), `0` | whether each stub starts with `endbr64`; without, a stub takes half the room |
//! | `STATICTRAMP_ASM` | `cc` (default), `rust` | who assembles the stubs: the C compiler or rustc |
#![cfg_attr(not(loom), no_std)]
#![cfg_attr(loom, allow(dead_code))] // what has to do with code is not used there

#[cfg(feature = "std")]
extern crate std;

/// The name of a symbol of this version, as `build.rs` writes it into the assembly.
#[doc(hidden)]
#[macro_export]
macro_rules! __symbol {
    ($name:literal) => {
        concat!(
            "statictramp_",
            env!("CARGO_PKG_VERSION_MAJOR"),
            "_",
            env!("CARGO_PKG_VERSION_MINOR"),
            "_",
            $name
        )
    };
}

#[cfg(all(feature = "hardened", feature = "scratch"))]
compile_error!(
    "the features `hardened` and `scratch` of statictramp exclude each other: scratch writes code into memory \
     that must be writable and executable, which hardened is there to refuse; leave one of them out"
);

mod arch;
#[cfg(not(compact))]
mod areas;
#[cfg(not(compact))]
mod bitmap;
mod capacity;
mod claim;
mod closure;
#[cfg(any(compact, test))]
#[cfg_attr(not(compact), allow(dead_code))] // what its tests do not use
mod compact;
#[cfg(all(target_os = "linux", not(loom)))]
#[doc(hidden)]
pub mod copies;
mod dead;
#[cfg(all(growing, not(loom)))]
mod debugger;
#[cfg(all(target_os = "linux", not(loom)))]
mod elf;
mod errors;
#[cfg(all(growing, not(loom)))]
mod grow;
mod hook;
#[cfg(not(compact))]
#[doc(hidden)]
pub mod host;
pub mod interop;
#[cfg(not(loom))]
#[doc(hidden)]
pub mod line;
#[cfg(all(target_os = "linux", not(loom)))]
mod maps;
#[cfg(not(compact))]
mod pool;
#[cfg(all(feature = "scratch", target_os = "linux", not(loom)))]
#[doc(hidden)]
pub mod scratch;
#[cfg(all(feature = "sides", not(loom)))]
#[doc(hidden)]
pub mod side;
#[cfg(not(compact))]
mod slot;
#[cfg(not(compact))]
mod sweep;
#[cfg(all(target_os = "linux", not(loom)))]
mod symbol;
mod sync;
mod table;
#[cfg(all(feature = "trace", not(loom)))]
pub mod trace;
mod trampoline;
#[cfg(all(target_os = "linux", not(loom)))]
mod unnoticed;
#[cfg(not(compact))]
mod warm;

#[doc(hidden)]
pub use capacity::why_full;
pub use capacity::{
    Layout, Live, Statistics, capacity, layout, live, live_trampolines, set_limit, statistics,
};
#[cfg(all(feature = "alloc", not(loom)))]
pub use closure::leaked;
pub use closure::{
    BindError, ByMut, Call, Callback, Closure, InPlace, Once, Stub, System, Unwind, bind, by_mut, once,
    system, unwind,
};
#[cfg(feature = "alloc")]
pub use closure::{Boxed, boxed};
pub use dead::DeadCallHandler;
#[cfg(not(loom))]
pub use dead::on_dead_call;
pub use errors::{AllocError, FreeError, NotOurs};
pub use trampoline::{Lookup, Trampoline, free, lookup, slot_of};

#[cfg(compact)]
use compact::Pool;
#[cfg(not(compact))]
use pool::Pool;

#[cfg(not(loom))]
static POOL: Pool<table::StaticTable> = Pool::new(table::StaticTable);

/// Bytes of everything besides stubs and slots.
#[cfg(not(loom))]
const BOOKKEEPING: usize = size_of::<Pool<table::StaticTable>>();
#[cfg(loom)]
const BOOKKEEPING: usize = 0;

// A byte for each trampoline, from the default size on.
#[cfg(not(any(loom, compact)))]
static_assertions::const_assert!(table::SLOTS < 1024 || BOOKKEEPING <= table::SLOTS + 64);

#[cfg(loom)]
loom::lazy_static! {
    static ref POOL: Pool<table::OwnTable> = Pool::new(table::OwnTable::new());
}

/// Pages to read.
#[cfg(all(feature = "alloc", not(loom)))]
pub mod guide {
    #[doc = include_str!("../docs/choosing.md")]
    pub mod choosing {}
    #[doc = include_str!("../docs/safety.md")]
    pub mod safety {}
}

/// For the C library, which is built without `std` where it can be and must have a panic
/// handler then: with `std` in the program, or a profile that unwinds, std has one.
#[cfg(any(feature = "std", panic = "unwind"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __panic_handler {
    () => {
        extern crate std;
    };
}
/// The same without `std`.
#[cfg(not(any(feature = "std", panic = "unwind")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __panic_handler {
    () => {
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! {
            $crate::line::fatal("BUG: the library panicked")
        }

        // Members of Rust's own compiler_builtins name the routine by which panics unwind, and
        // some are linked into the library. Nothing unwinds here: on with the next frame
        // (_URC_CONTINUE_UNWIND). Weak, so that std's own may take its place.
        #[cfg(target_arch = "x86_64")]
        core::arch::global_asm!(
            ".pushsection .text.rust_eh_personality,\"ax\",@progbits",
            ".weak rust_eh_personality",
            ".hidden rust_eh_personality",
            ".type rust_eh_personality, @function",
            "rust_eh_personality:",
            "mov eax, 8",
            "ret",
            ".size rust_eh_personality, . - rust_eh_personality",
            ".popsection",
        );
    };
}

/// The example of the README runs as a documentation test.
#[cfg(all(doctest, not(loom)))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod models;
