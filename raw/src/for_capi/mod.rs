//! The interface for libstatictramp: the entry of raw closures whose chain points to {context, handler}, the operations
//! that a handler performs on its call, and contexts for functions whose signature is given as types.

#[cfg(not(compact))]
pub mod plans;

pub use crate::arch::{Block, VaList};
pub use crate::convention::insert::{MOST_PARAMETERS, Order, Plan, register_after, registers};
pub use crate::convention::layout::{Layout, Leaf, Type};
pub use crate::convention::simple::simple;
use crate::convention::walk::Convention as _;

#[cfg(not(compact))]
const _: () = assert!(
    size_of::<statictramp::for_capi::extra::SlotExtra>()
        == size_of::<crate::convention::arrange::ExtraWords>()
);

/// Returns the adapter that moves arguments according to a [`Plan`], or `None` if this target has no such adapter. The
/// third extra word of a trampoline that uses this adapter points to the plan's words.
pub fn forward() -> Option<*const ()> {
    Block::FORWARD.map(|forward| forward as *const ())
}

/// Returns the size and alignment of a type that is not a struct, or `None` if the target does not support the type.
pub fn size_and_align(kind: u32) -> Option<(usize, usize)> {
    let leaf = Leaf::plain(kind);
    Layout::plain(&leaf).map(|layout| (layout.size, layout.align))
}

/// Returns the address of the raw closures' adapter. Only a stub whose chain points to {context, handler} may jump
/// there.
pub fn entry() -> *const () {
    crate::arch::enter as *const ()
}
