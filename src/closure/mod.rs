//! Closures as plain C function pointers.
//!
//! - `kinds.rs`: the kinds of closures, which are `Fn` closures and closures that change or consume their captured
//!   variables;
//! - `holder.rs`: the memory of a bound closure, and the work done before and after a call;
//! - `adapters.rs`: the code between a stub and a closure, generated at compile time for each type of closure;
//!   `numbered.rs`: the corresponding code for targets without stubs;
//! - `pointer.rs`: the types of function pointers; `higher_ranked.rs`: pointers whose parameters are references with
//!   any lifetime;
//! - `bound.rs`: the trampoline of a bound closure, and the trait of types that can be bound;
//! - `borrowed.rs`: closures borrowed for a scope; `owned.rs`: closures that their guards own; `guard.rs`: guards
//!   that erase the closure's type; `one_shot.rs`: closures that are freed when their only call ends; `plain.rs`:
//!   closures that capture nothing;
//! - `methods.rs`, `on_heap.rs`: code shared by typed and raw guards; `arity.rs`: a macro that repeats an
//!   implementation for each number of parameters.

mod adapters;
mod arity;
mod borrowed;
mod bound;
#[cfg(feature = "alloc")]
mod guard;
#[cfg(not(loom))]
pub mod higher_ranked;
pub(crate) mod holder;
mod kinds;
mod methods;
#[cfg(portable)]
mod numbered;
#[cfg(feature = "alloc")]
pub(crate) mod on_heap;
#[cfg(all(feature = "alloc", not(loom)))]
mod one_shot;
mod owned;
#[cfg(not(loom))]
mod plain;
mod pointer;

pub use borrowed::{Callback, bind};
use bound::Types;
pub use bound::{Adapter, Borrows, BoundTrampoline, Closure};
#[cfg(feature = "alloc")]
pub use guard::{Guard, Local};
pub use kinds::{ByMut, Call, Once, Unwind, by_mut, once, unwind};
pub(crate) use methods::guard_methods;
#[cfg(all(feature = "alloc", not(loom)))]
pub use one_shot::one_shot;
pub use owned::{BindError, InPlace};
#[cfg(feature = "alloc")]
pub use owned::{Boxed, boxed, try_boxed};
#[cfg(all(feature = "alloc", not(loom)))]
pub use owned::{leaked, leaked_safe_fn, try_leaked};
#[cfg(not(loom))]
pub use plain::plain;
pub use pointer::{FunctionPointer, UnsafeFn};
