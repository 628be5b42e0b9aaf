//! The diagnosis of errors. Each error is reported as one line on standard error.

pub(crate) mod dead_call;
#[cfg(named)]
#[cfg_attr(portable, path = "names_of_slots.rs")]
pub(crate) mod names;
#[cfg(all(any(target_os = "linux", windows), stubs))]
pub mod other_copy;
#[cfg(any(all(named, not(portable)), all(loom, test)))]
pub(crate) mod record;
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) mod symbol;

pub use dead_call::{DeadCallFromHandler, DeadCallHandler, on_dead_call, on_dead_call_from};
