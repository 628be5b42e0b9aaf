//! Raw closures for handlers in C: the entry of a stub whose chain leads to {context, handler}, and what a handler can do
//! with the block that it is called with.

pub use crate::raw::Leaf;
pub use crate::raw::isa::Block;
pub use crate::raw::shape::Shape;

/// The address of the raw closures' adapter. Only a stub whose chain leads to {context, handler} may jump there.
pub fn entry() -> *const () {
    crate::raw::isa::enter as *const ()
}
