//! Trampolines that never need memory to be writable and executable.
//!
//! A closure or a nested function cannot be passed directly to code that takes a plain function pointer, because such a
//! pointer carries no context. Compilers usually generate a piece of code for each such pointer at run time, but
//! hardened systems do not allow this. In this crate, the code exists from the start: it is a table of stubs in
//! `.text`, and each stub reads its own slot in a writable table.
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
//! let keys = [5u8, 3, 9, 1]; // unknown to qsort
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
//! - [`guide::choosing`]: which form of closure to use, depending on how long it is needed;
//! - the crate [`statictramp-raw`](https://docs.rs/statictramp-raw): closures for signatures that are known only at run time;
//! - [`guide::safety`]: the contract for a call, and which violations are detected;
//! - [`Trampoline`]: the lower-level interface, for runtimes and compilers whose callees expect their context in the
//!   static-chain register.
//!
//! Trampolines may be made and freed in a signal handler or an interrupt, because both operations are lock-free.
//! Neither operation allocates memory, except for a closure on the heap. Both make system calls only if the table is
//! full, either to grow it or to record that it is full. Processors without an atomic exchange (Armv6-M, RISC-V without
//! A) are the exception: on these, making a trampoline enters a critical section, and must not happen in an interrupt
//! that a critical section does not mask. On Armv6-M, making a trampoline in an NMI or HardFault handler fails with
//! [`AllocError::Full`]. Freeing or looking up a trampoline never enters a critical section.
//!
//! # Features
//! | feature | |
//! |---|---|
//! | `std` (default) | uses std: [`synchronized`], [`same_thread`], names in messages; implies `alloc` |
//! | `alloc` | [`boxed`], [`Guard`], [`one_shot`], [`leaked`] |
//! | `grow` | the table doubles when it is full, by mapping its code again (Linux, Windows, macOS where it has stubs); [`set_limit`] and the `STATICTRAMP_LIMIT` variable limit its size. Added slots remain until the process ends |
//! | `scratch` | for libstatictramp: if the table is full and cannot grow, code compiled by flang may use a trampoline on its own stack |
//! | `slots-64`, `slots-256`, and so on to `slots-65536` | requests this many slots; the largest request in a program applies, unless `STATICTRAMP_SLOTS` is set |
//! | `hardened` | fails the build if `scratch`, the only feature that writes code, is also enabled; on AArch64 Linux, signs slots unless `STATICTRAMP_SIGN` is `0` |
//!
//! # Under loom
//! With `--cfg loom`, the crate uses loom's atomics, and a table of 4 slots without code. Function pointers cannot be
//! called in that configuration, but [`Callback::call`] emulates the stub, so programs that use this crate can be
//! modelled; see `examples/model.rs`.
//!
//! # Build-time choices
//! | variable | values | meaning |
//! |---|---|---|
//! | `STATICTRAMP_SLOTS` | 1 to 1,048,576 (65,536 on 32-bit boards, 262,144 on AArch64 macOS, 4,096 on targets without stubs); default: the largest feature `slots-N` that a crate enables, but at least 1024, or 64 on targets without stubs, or 16 without an operating system | how many trampolines can be live simultaneously before the table grows |
//! | `STATICTRAMP_REUSE` | `same-callee` (default), `strict` | whether a freed slot may be reused immediately for its own callee |
//! | `STATICTRAMP_LANDING_PADS` | `1` (default), `0` | whether each stub starts with a landing pad: `endbr64`, `endbr32` or, on AArch64, `bti c` (not on Windows); without it, a stub takes half the space on x86-64 |
//! | `STATICTRAMP_SIGN` | `0`, `1`; default `0`, and `1` with the `hardened` feature on AArch64 Linux | whether the code pointers in slots are signed with pointer authentication; only on AArch64 Linux |
//! | `STATICTRAMP_ASM` | `cc`, `rust`, `none`; default: `cc` if a C compiler is available, else `rust` | what assembles the stubs: the C compiler or rustc, with the same result; with `none`, compiler-generated functions replace the stubs, as on targets that have no stubs |
#![cfg_attr(not(loom), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))] // the documentation states which feature each item needs
#![cfg_attr(unstable_asm, feature(asm_experimental_arch))]
#![cfg_attr(loom, allow(dead_code))] // everything that deals with machine code is unused there

mod arch;
mod closure;
mod diagnosis;
#[doc(hidden)]
pub mod for_capi;
mod message;
#[cfg(all(any(target_os = "linux", windows), not(loom)))]
mod os;
mod pool;
mod sync;
#[cfg(not(loom))]
mod table;
mod trampoline;

#[cfg(not(loom))]
#[doc(hidden)]
pub use closure::higher_ranked as __higher_ranked;
pub use closure::{
    BindError, BoundTrampoline, ByMut, Call, Callback, Closure, FunctionPointer, InPlace, Local, Once,
    Tupled, Typed, UnsafeFn, Unwind, bind, by_mut, once, tupled, typed, unwind,
};
#[cfg(feature = "alloc")]
pub use closure::{Boxed, Guard, boxed, try_boxed};
#[cfg(not(loom))]
pub use closure::{Inline, Pool, plain};
#[cfg(all(feature = "std", not(loom)))]
pub use closure::{SameThread, Synchronized, same_thread, synchronized};
#[cfg(all(feature = "alloc", not(loom)))]
pub use closure::{leaked, leaked_safe_fn, one_shot, try_leaked};
pub use diagnosis::{DeadCallFromHandler, DeadCallHandler, on_dead_call, on_dead_call_from};
pub use trampoline::{
    AllocError, FreeError, Layout, LiveTrampoline, Lookup, LookupError, Statistics, Trampoline, capacity,
    free, free_all, layout, live, live_trampolines, lookup, reserve, set_limit, slot_of, statistics,
};

/// The instructions of this program's stubs, for the decoder in `statictramp_targets::stub`.
#[cfg(all(stubs, any(target_os = "linux", windows)))]
#[doc(hidden)]
pub const ENCODING: statictramp_targets::stub::Encoding = arch::ENCODING;

/// The parts of bound closures that `statictramp-raw` uses. They may change in any version.
#[cfg(stubs)]
#[doc(hidden)]
pub mod for_raw {
    #[cfg(feature = "alloc")]
    pub use crate::closure::kept::{Kept, OnHeap};
    pub use crate::closure::{Bare, Borrows, HasAdapter, Holder, Satisfies};
}

/// Returns the thread-local words in which a closure's address is passed. Programs must not call this.
#[cfg(all(thread_words, target_os = "linux"))]
#[doc(hidden)]
pub fn pending_words() -> *mut [usize; 2] {
    arch::in_thread::words()
}

pub mod guide;

#[cfg(test)]
mod tests;
