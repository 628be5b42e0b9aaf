//! Raw closures for handlers in C: the entry for a stub whose chain points to {context, handler}, and the operations of
//! a handler on its block.

pub use crate::arch::convention::shape::Leaf;
pub use crate::arch::convention::shape::Shape;
pub use crate::arch::raw::Block;

/// Returns the address of the raw closures' adapter. Only a stub whose chain points to {context, handler} may jump
/// there.
pub fn entry() -> *const () {
    crate::arch::raw::enter as *const ()
}
