//! Raw closures for handlers in C. This file provides the code that a stub jumps to if its chain points to {context,
//! handler}, and the operations that a handler performs on the call's block.

pub use crate::arch::convention::insert::{MOST_PARAMETERS, Order, Plan, register_after, registers};
pub use crate::arch::convention::shape::{Leaf, Shape, Type};
pub use crate::arch::convention::simple::simple;
use crate::arch::convention::walk::Convention as _;
pub use crate::arch::raw::Block;

#[cfg(not(compact))]
static_assertions::assert_eq_size!(super::extra::SlotExtra, crate::arch::convention::arrange::ExtraWords);

/// Returns the adapter that moves arguments according to a [`Plan`], or `None` if this target has no such adapter. In
/// trampolines with this adapter, the third extra word points to the plan's words.
pub fn forward() -> Option<*const ()> {
    Block::FORWARD.map(|forward| forward as *const ())
}

/// Returns the address of the raw closures' adapter. Only a stub whose chain points to {context, handler} may jump
/// there.
pub fn entry() -> *const () {
    crate::arch::raw::enter as *const ()
}
