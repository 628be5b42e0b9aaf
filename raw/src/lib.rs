//! Closures for signatures that are known only at run time, as needed by interpreters and FFI modules.
//!
//! A call through a function pointer of any type runs the handler with a [`Call`]. The handler takes the arguments from
//! the [`Call`] in order, and sets its result. Variadic functions and functions with more than 16 parameters are also
//! supported.
//!
//! ```
//! use statictramp_raw::Call;
//!
//! let types = "ddi"; // what a script declared
//! let sum = |call: &mut Call<'_>| {
//!     let mut sum = 0.0;
//!     for kind in types.bytes() {
//!         // SAFETY: the caller's type is (f64, f64, i32) -> f64, as `types` tells.
//!         sum += unsafe {
//!             match kind {
//!                 b'd' => call.next::<f64>(),
//!                 _ => f64::from(call.next::<i32>()),
//!             }
//!         };
//!     }
//!     // SAFETY: as above.
//!     unsafe { call.set(sum) };
//! };
//! let callback = statictramp_raw::bind(&sum)?;
//! let f: unsafe extern "C" fn(f64, f64, i32) -> f64 = callback.as_fn();
//! // SAFETY: the handler takes these arguments, and the callback is alive.
//! assert_eq!(unsafe { f(0.5, 1.5, 40) }, 42.0);
//! # Ok::<(), statictramp::AllocError>(())
//! ```
//!
//! Scalars, complex numbers, 8-byte and 16-byte vectors, and C structs of these are passed as the target's calling
//! convention prescribes. [`Kind`] contains the vectors and some other types only on some targets. Unions cannot be
//! described. A panic in a handler aborts the program. The crate needs stubs, so it does not build for targets without
//! them or with `STATICTRAMP_ASM=none`.
//!
//! libstatictramp's `statictramp_bind_raw` uses the same code. Tests compare it with gcc, clang and libffi on 2,000
//! random signatures.
//!
//! # Features
//! | feature | |
//! |---|---|
//! | `std` (default) | error messages name the closure, as in the crate [`statictramp`]; implies `alloc` |
//! | `alloc` | [`boxed`], [`leaked`] |
//
// A stub jumps to `arch::enter_closure` (for C, to `arch::enter`), which saves the argument registers on the stack,
// calls the handler with a block that describes the call, and then loads the result registers from this block. Between
// saving and loading the registers, only the handler runs.
//
// `convention/` contains the descriptions of types (`layout.rs`) and the walk over the arguments (`walk.rs`, and
// `leaves.rs` for some processors). The processor's file in `arch/` determines where each argument is passed. The
// operations of a handler are in `block.rs`, and their Rust interface is in `values.rs`, `call.rs` and `closure.rs`.
// `for_capi/` is the interface for libstatictramp.
#![no_std]
#![cfg(stubs)]
#![cfg_attr(docsrs, feature(doc_cfg))] // documentation states the feature that an item needs
#![cfg_attr(unstable_asm, feature(asm_experimental_arch))]

// The build script of this crate does not know whether the linker has rejected the stubs.
#[cfg(not(feature = "__for-capi"))]
statictramp::__needs_stubs!("statictramp-raw");

mod arch;
mod block;
mod call;
mod closure;
mod convention;
#[cfg(feature = "__for-capi")]
#[doc(hidden)]
pub mod for_capi;
mod va_list;
mod values;

pub use call::Call;
#[cfg(feature = "alloc")]
pub use closure::{Boxed, boxed, leaked};
pub use closure::{Callback, bind};
pub use va_list::VaList;
pub use values::{Argument, Kind, Leaf, Struct};

/// Runs the Rust example on the page for compilers as a documentation test.
#[cfg(all(doctest, pages))]
mod shown {
    #[doc = include_str!("../../docs/compilers.md")]
    struct Compilers;
}
