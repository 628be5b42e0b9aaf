//! Closures as plain C function pointers.
//!
//! - `kinds.rs`: the kinds of closures: `Fn`, and those that change or consume their captured variables;
//! - `holder.rs`: the memory of a bound closure, and the work around a call;
//! - `adapters.rs`: the code between stub and closure, made at compile time for each signature; `numbered.rs`: the same for
//!   targets without stubs;
//! - `pointer.rs`: the types of function pointers;
//! - `stub.rs`: the trampoline of a bound closure, and the trait of types that can be bound;
//! - `borrowed.rs`: a closure borrowed for a scope; `owned.rs`: one that its guard owns; `guard.rs`: one whose type is erased;
//!   `one_shot.rs`: one that ends with its call; `plain.rs`: one that captures nothing.

mod adapters;
mod arity;
mod borrowed;
#[cfg(feature = "alloc")]
mod guard;
#[cfg(not(loom))]
pub mod higher_ranked;
pub(crate) mod holder;
mod kinds;
#[cfg(portable)]
mod numbered;
#[cfg(all(feature = "alloc", not(loom)))]
mod one_shot;
mod owned;
#[cfg(not(loom))]
mod plain;
mod pointer;
mod stub;

pub use borrowed::{Callback, bind};
#[cfg(feature = "alloc")]
pub use guard::{Guard, Local};
pub use kinds::{ByMut, Call, Once, Unwind, by_mut, once, unwind};
#[cfg(all(feature = "alloc", not(loom)))]
pub use one_shot::one_shot;
pub use owned::{BindError, InPlace};
#[cfg(feature = "alloc")]
pub use owned::{Boxed, boxed, boxed_or_back};
#[cfg(all(feature = "alloc", not(loom)))]
pub use owned::{leaked, leaked_or_back, leaked_safe};
#[cfg(not(loom))]
pub use plain::plain;
pub use pointer::FunctionPointer;
#[cfg(stubs)]
pub(crate) use stub::Adapter;
use stub::Types;
pub use stub::{Closure, Stub};
