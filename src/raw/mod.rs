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
// A stub enters `isa::enter_closure` (for C: `isa::enter`), which saves all argument registers in a block on the stack,
// calls the handler with it, and loads all result registers from it. Nothing but the handler runs in between.
//
// `shape.rs` says what a value is; `walk.rs` and the file of the processor, where it travels, for some by `leaves.rs`;
// `block.rs`, what a handler can do. The rest is Rust's: `values.rs`, `call.rs`, `closure.rs`. The C library has its own on top of `block.rs`.

mod block;
mod call;
mod closure;
mod kind;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64", target_arch = "loongarch64"))]
mod leaves;
pub(crate) mod shape;
mod values;
mod walk;

// In the folder of the processor.
#[cfg_attr(target_arch = "aarch64", path = "../arch/aarch64/raw.rs")]
#[cfg_attr(target_arch = "arm", path = "../arch/arm/raw.rs")]
#[cfg_attr(target_arch = "loongarch64", path = "../arch/loongarch64/raw.rs")]
#[cfg_attr(target_arch = "powerpc", path = "../arch/powerpc/raw.rs")]
#[cfg_attr(target_arch = "powerpc64", path = "../arch/powerpc64/raw.rs")]
#[cfg_attr(any(target_arch = "riscv32", target_arch = "riscv64"), path = "../arch/riscv/raw.rs")]
#[cfg_attr(target_arch = "s390x", path = "../arch/s390x/raw.rs")]
#[cfg_attr(target_arch = "x86", path = "../arch/x86/raw.rs")]
#[cfg_attr(all(target_arch = "x86_64", not(windows)), path = "../arch/x86_64/raw.rs")]
#[cfg_attr(all(target_arch = "x86_64", windows), path = "../arch/x86_64/windows/raw.rs")]
pub(crate) mod isa;

pub use call::Call;
#[cfg(feature = "alloc")]
pub use closure::{Boxed, boxed};
pub use closure::{Callback, bind};
pub use values::{Argument, Kind, Leaf, Struct};

// For the entries.
use closure::handle;
