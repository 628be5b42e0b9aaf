//! Closures for signatures that are known only at run time, as interpreters and modules for foreign functions meet them.
//!
//! Whatever the type of the function pointer is, a call calls the handler with the [`Call`], from which it takes the
//! arguments in their order, and whose result it sets. So a variadic caller can be served, too, and one with more than 16
//! parameters.
//!
//! ```
//! use statictramp::raw::{self, Call};
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
//! let callback = raw::bind(&sum)?;
//! let f: unsafe extern "C" fn(f64, f64, i32) -> f64 = callback.as_fn();
//! // SAFETY: the handler takes these arguments, and the callback is alive.
//! assert_eq!(unsafe { f(0.5, 1.5, 40) }, 42.0);
//! # Ok::<(), statictramp::AllocError>(())
//! ```
//!
//! Scalars, and C structs of scalars by value, travel as the calling convention of the processor says; SIMD vectors,
//! `_Complex` numbers that are no member of a struct, and unions cannot be described. A panic of a handler aborts the program. Targets without stubs do not
//! have this module.
//!
//! The C library's `statictramp_bind_raw` walks by the same code, which is compared with gcc, clang and libffi by 2,000
//! random signatures.
//
// A stub enters `arch::raw::enter_closure` (for C: `arch::raw::enter`), which saves all argument registers in a block on the
// stack, calls the handler with it, and loads all result registers from it. Only the handler runs in between.
//
// `src/arch/convention/` has the description of a value (`shape.rs`) and the walk over the arguments (`walk.rs`, for some
// processors `leaves.rs`), the folder of the processor (`raw.rs`) where each travels. Here are the operations of a handler
// (`block.rs`, which the C library shares) and Rust's view of them: `values.rs`, `call.rs`, `closure.rs`.

mod block;
mod call;
mod closure;
mod values;

pub use call::Call;
#[cfg(feature = "alloc")]
pub use closure::{Boxed, boxed};
pub use closure::{Callback, bind};
pub use values::{Argument, Kind, Leaf, Struct};
