//! Trampolines that never need memory to be writable and executable.
//!
//! A closure or a nested function must be handed to code that takes a plain function
//! pointer. The pointer then has to carry a context. Compilers write a small piece of code
//! at run time for that, which hardened hosts refuse. Here the code exists from the start, as a table of stubs in
//! `.text`, each of which reads its own slot in a writable table.
//!
//! ```text
//!   caller --> stub i  (.text, never writable)
//!                 |        chain  <- slot[i].chain      into the static-chain register
//!                 '------> jump to slot[i].entry
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
//! - `raw`: closures for signatures that are known only at run time;
//! - [`guide::safety`]: the contract of a call, and what is caught when it is broken;
//! - [`Trampoline`]: the level below, for those who have a callee that expects its context in
//!   the static-chain register: runtimes, compilers.
//!
//! Trampolines may be made and freed in a signal handler or an interrupt: both are lock-free and allocate nothing. Only
//! the growth of a full table makes system calls. Processors without an atomic exchange (Armv6-M, RISC-V without A) are
//! the exception: there making is a critical section, and must not be done in an interrupt that a critical section does
//! not mask. In Armv6-M's non-maskable interrupt it fails with [`AllocError::Full`].
//!
//! # Features
//! | feature | |
//! |---|---|
//! | `std` (default) | the program has std; implies `alloc` |
//! | `alloc` | [`boxed`], [`Guard`], [`one_shot`], [`leaked`] |
//! | `grow` | the table doubles when it is full, by mapping its code again (Linux, Windows, macOS where it has stubs); [`set_limit`] and the variable `STATICTRAMP_LIMIT` bound it. What was added stays until the process ends |
//! | `scratch` | for the C library: where the table is full and cannot grow, flang's code may have a trampoline on its own stack |
//! | `trace` | a hook that is told of what is made and freed |
//! | `hardened` | does not compile together with `scratch`, the only feature that writes code |
//!
//! # Under loom
//! With `--cfg loom` the crate compiles with loom's atomics and a table of 4 slots without
//! code. Function pointers cannot be called there, but [`Callback::call`] does what the stub
//! does, so that a program which uses this crate can be modelled; `examples/model.rs` does.
//!
//! # Build-time choices
//! | variable | values | meaning |
//! |---|---|---|
//! | `STATICTRAMP_SLOTS` | 1 to 1,048,576 (65,536 on boards of 32 bits); default 1024, and 64 on targets without stubs | how many trampolines can live at once |
//! | `STATICTRAMP_REUSE` | `same-callee` (default), `strict` | whether a freed slot may serve its own callee again at once |
//! | `STATICTRAMP_LANDING_PADS` | `1` (default), `0` | whether each stub starts with `endbr64`; without, a stub takes half the room |
//! | `STATICTRAMP_ASM` | `cc`, `rust`, `none`; default: `cc` where there is one, else `rust` | who assembles the stubs: the C compiler or rustc, with the same result; or `none`: functions that the compiler makes stand in for them, as on targets that have no stubs |
#![cfg_attr(not(loom), no_std)]
#![cfg_attr(loom, allow(dead_code))] // what has to do with code is not used there

mod arch;
mod closure;
mod diagnosis;
mod message;
#[cfg(all(any(target_os = "linux", windows), not(loom)))]
mod os;
mod pool;
#[cfg(stubs)]
pub mod raw;
#[doc(hidden)]
pub mod runtime;
mod sync;
#[cfg(not(loom))]
mod table;
mod trampoline;

#[cfg(not(loom))]
#[doc(hidden)]
pub use closure::higher_ranked as __higher_ranked;
#[cfg(not(loom))]
pub use closure::plain;
pub use closure::{
    BindError, BoundTrampoline, ByMut, Call, Callback, Closure, FunctionPointer, InPlace, Once, Unwind, bind,
    by_mut, once, unwind,
};
#[cfg(feature = "alloc")]
pub use closure::{Boxed, Guard, Local, boxed, try_boxed};
#[cfg(all(feature = "alloc", not(loom)))]
pub use closure::{leaked, leaked_safe_fn, one_shot, try_leaked};
pub use diagnosis::{DeadCallHandler, on_dead_call};
#[cfg(all(feature = "trace", not(loom)))]
pub use trampoline::trace;
pub use trampoline::{
    AllocError, FreeError, Layout, LiveTrampoline, Lookup, LookupError, Statistics, Trampoline, capacity,
    free, layout, live, live_trampolines, lookup, set_limit, slot_of, statistics,
};

/// Decodes the code at `address` as a stub and returns the address of its slot; `None` if it is not a stub.
#[cfg(all(any(target_os = "linux", windows), not(loom)))]
#[doc(hidden)]
pub fn decode_stub(code: &[u8], address: usize) -> Option<usize> {
    arch::decode_stub(code, address)
}

/// The thread-local words that pass a closure's address. Not for use by programs.
#[cfg(all(linux_stubs, not(any(target_arch = "x86_64", target_arch = "x86"))))]
#[doc(hidden)]
pub fn pending_words() -> *mut [usize; 2] {
    arch::in_thread::words()
}

pub mod guide;

#[cfg(test)]
mod tests;
