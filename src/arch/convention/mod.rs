//! Calling conventions for closures whose signatures are known only at run time: descriptions of types, and iteration
//! over the arguments of a call.

#[cfg(all(feature = "__slot-extra", not(compact)))]
pub(crate) mod arrange;
#[cfg(feature = "__slot-extra")]
pub(crate) mod insert;
pub(crate) mod kind;
#[cfg(leaves)]
pub(crate) mod leaves;
#[cfg(feature = "__slot-extra")]
pub(crate) mod place;
pub(crate) mod shape;
#[cfg(feature = "__slot-extra")]
pub(crate) mod simple;
pub(crate) mod walk;

use super::raw::Block;

/// A Rust handler, entered through the processor's `raw::enter_closure`.
pub(crate) trait Handler {
    /// Handles a call, given the stub's chain and the call's block. A panic aborts here, as in any `extern "C"`
    /// function.
    extern "C" fn handle(chain: *const (), block: *mut Block);
}
